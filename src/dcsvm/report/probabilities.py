"""How far the probabilities of a classifier, and its sets of classes, can be trusted."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing

from dcsvm.inspection.probability_figures import CONFIDENCES, coverage, reliability
from dcsvm.report.features import number
from dcsvm.report.rows import UNLABELLED
from dcsvm.report.subject import Subject

N_BINS = 10


def probabilities(subject: Subject) -> dict[str, Any] | None:
    """Bins of probabilities, and sets of classes; None for a model or rows that have neither."""
    classifier, truth = subject.classifier, subject.rows.truth
    if truth is None or not hasattr(classifier, "predict_proba"):
        return None
    known = np.flatnonzero(truth != UNLABELLED)
    X, codes = _safe_indexing(subject.rows.inputs, known), truth[known]
    try:
        probability = classifier.predict_proba(X)
    except NotFittedError:  # probability=True was set after fit
        return None
    weight = np.ones(len(known))
    right = probability.argmax(axis=1) == codes
    bins = reliability(probability.max(axis=1), right, weight, N_BINS, "uniform")
    sets = coverage(classifier, X, codes, weight, CONFIDENCES)
    learnt = np.flatnonzero(codes < len(classifier.classes_))
    own = probability[learnt, codes[learnt]]
    return {
        "n_rows": len(known),
        "error": number(bins.error),
        "log_loss": number(float(-np.log(own).mean())) if len(own) else None,
        "bins": [
            {"probability": number(said), "right": number(was), "share": number(share)}
            for said, was, share in zip(*(column.tolist() for column in bins), strict=True)
        ],
        "sets": [
            {"confidence": confidence, "coverage": number(covered), "size": number(size)}
            for confidence, covered, size in zip(CONFIDENCES, *sets, strict=True)
        ],
    }
