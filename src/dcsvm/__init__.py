"""Divide-and-conquer multi-class support vector machines."""

from typing import Any

from dcsvm.estimators.dagsvc import DAGSVC
from dcsvm.estimators.dcsvc import DCSVC
from dcsvm.estimators.dcsvc_cv import DCSVCCV
from dcsvm.estimators.meta import DivideAndConquerClassifier
from dcsvm.estimators.one_vs_one import OneVsOneSVC
from dcsvm.table.prediction_table import PredictionTable

__all__ = [
    "DAGSVC",
    "DCSVC",
    "DCSVCCV",
    "DivideAndConquerClassifier",
    "OneVsOneSVC",
    "PredictionTable",
    "load",
    "save",
]

__version__ = "0.1.0"


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """`save` and `load`, without which nobody needs what reads and writes files."""
    if name in ("load", "save"):
        from dcsvm import model_files

        return getattr(model_files, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
