"""Look into a fitted classifier: its structure, its answers one by one, and pictures.

matplotlib is loaded when something is drawn.
"""

from dcsvm.inspection.explaining import explain, explanations
from dcsvm.inspection.explanation import Dropped, ExplainedStep, Explanation
from dcsvm.inspection.graphviz import export_graphviz
from dcsvm.inspection.separation_display import SeparationDisplay
from dcsvm.inspection.separator_plot import plot_separators
from dcsvm.inspection.structure import DecisionStructure
from dcsvm.inspection.table_display import PredictionTableDisplay
from dcsvm.inspection.text import export_text
from dcsvm.inspection.threshold_display import ThresholdDisplay
from dcsvm.inspection.tracing import decision_structure
from dcsvm.inspection.tree_plot import plot_tree

__all__ = [
    "DecisionStructure",
    "Dropped",
    "ExplainedStep",
    "Explanation",
    "PredictionTableDisplay",
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
