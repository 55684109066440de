"""Divide-and-conquer multi-class support vector machines."""

from dcsvm.baselines import DAGSVC, OneVsOneSVC
from dcsvm.classifier import DCSVC
from dcsvm.meta import DivideAndConquerClassifier
from dcsvm.table import PredictionTable

__all__ = ["DAGSVC", "DCSVC", "DivideAndConquerClassifier", "OneVsOneSVC", "PredictionTable"]

__version__ = "0.1.0"
