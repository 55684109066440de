"""Inspect a fitted classifier: its structure, explanations of single rows, and pictures.

matplotlib is imported when something is drawn.
"""

from dcsvm.inspection.coverage_display import CoverageDisplay
from dcsvm.inspection.explaining import explain, explanations
from dcsvm.inspection.explanation import Dropped, ExplainedRound, Explanation
from dcsvm.inspection.graphviz import export_graphviz
from dcsvm.inspection.reliability_display import ReliabilityDisplay
from dcsvm.inspection.search_display import SearchDisplay
from dcsvm.inspection.search_map import SearchMap
from dcsvm.inspection.separation_display import SeparationDisplay
from dcsvm.inspection.separator_plot import plot_separators
from dcsvm.inspection.structure import DecisionStructure, decision_structure
from dcsvm.inspection.table_display import PredictionTableDisplay
from dcsvm.inspection.text import export_text
from dcsvm.inspection.threshold_display import ThresholdDisplay
from dcsvm.inspection.tree_plot import plot_tree

__all__ = [
    "CoverageDisplay",
    "DecisionStructure",
    "Dropped",
    "ExplainedRound",
    "Explanation",
    "PredictionTableDisplay",
    "ReliabilityDisplay",
    "SearchDisplay",
    "SearchMap",
    "SeparationDisplay",
    "ThresholdDisplay",
    "decision_structure",
    "explain",
    "explanations",
    "export_graphviz",
    "export_text",
    "plot_separators",
    "plot_tree",
]
