"""Divide-and-conquer multi-class support vector machines."""

from typing import Any

from dcsvm.baselines import DAGSVC, OneVsOneSVC
from dcsvm.classifier import DCSVC
from dcsvm.meta import DivideAndConquerClassifier
from dcsvm.table import PredictionTable

__all__ = [
    "DAGSVC",
    "DCSVC",
    "DivideAndConquerClassifier",
    "OneVsOneSVC",
    "PredictionTable",
    "load",
    "save",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`save` and `load`, without which nobody needs what reads and writes files."""
    if name in ("load", "save"):
        from dcsvm import persistence

        return getattr(persistence, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
