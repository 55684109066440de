"""Look into a fitted classifier: its structure, its answers one by one, and pictures."""

from dcsvm.inspection.explaining import explain, explanations
from dcsvm.inspection.explanation import Dropped, ExplainedStep, Explanation
from dcsvm.inspection.structure import DecisionStructure
from dcsvm.inspection.tracing import decision_structure

__all__ = [
    "DecisionStructure",
    "Dropped",
    "ExplainedStep",
    "Explanation",
    "decision_structure",
    "explain",
    "explanations",
]
