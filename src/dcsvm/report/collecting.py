"""All that a report shows, collected as plain data."""

from __future__ import annotations

import inspect
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, check_random_state, get_tags

import dcsvm
from dcsvm.estimators.access import validated_rows
from dcsvm.estimators.prediction import RethresholdMixin
from dcsvm.inspection import decision_structure
from dcsvm.inspection.subject import Observed, Subject, look_at, times_asked
from dcsvm.report.comparison import ask_classifier, ask_vote, over_thetas, summarise
from dcsvm.report.features import feature_values
from dcsvm.report.matrices import confusion, table_cells
from dcsvm.report.rows import UNLABELLED, ReportRows, choose_rows, draw_rows
from dcsvm.report.walks import explained, tree

# Rows that can be followed one by one, fewer where there are very many classes to be dropped.
MOST_FOLLOWED = 500
MOST_DROPPED = 120_000
LEAST_FOLLOWED = 100
# Of a parameter.
MOST_LETTERS = 100


def collect(
    model: Any, X: Any, y: Any, *, title: str | None, max_rows: int, random_state: Any
) -> dict[str, Any]:
    """What the page shows, ready for JSON; parameters as in `write_report`."""
    subject = look_at(model)
    clf = subject.classifier
    if not isinstance(clf, RethresholdMixin):
        raise TypeError(
            "A report is about a DCSVC or a DivideAndConquerClassifier, or a pipeline that ends "
            f"in one, not {type(clf).__name__}."
        )
    theta = subject.theta
    assert theta is not None
    rows = draw_rows(subject, X, y, max_rows, random_state)
    ours, vote = ask_classifier(clf, rows.inputs), ask_vote(clf, rows.inputs)
    observed = Observed(validated_rows(clf, rows.inputs), np.ones(rows.n), None, None)
    return {
        "title": title or f"How {type(clf).__name__} decides",
        "version": dcsvm.__version__,
        "written": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"),
        "classes": rows.names,
        "n_classes": len(clf.classes_),
        "model": describe(subject, rows),
        "summary": summarise(rows, ours, vote),
        "confusion": confusion(rows, ours.predicted),
        "thresholds": over_thetas(clf, theta, rows, vote),
        "table": table_cells(clf.table_, theta, times_asked(clf, observed).astype(np.int64)),
        **_followed(subject, rows, ours.predicted, random_state),
    }


def describe(subject: Subject, rows: ReportRows) -> dict[str, Any]:
    """What the classifier is, and what it was asked about."""
    clf = subject.classifier
    shortlist = getattr(clf, "shortlist_", None)
    signature = inspect.signature(type(clf).__init__).parameters
    parameters = clf.get_params(deep=False)
    gap = None if shortlist is None or not np.isfinite(shortlist.gap) else float(shortlist.gap)
    support = getattr(clf.machines_, "n_distinct_support", None)
    return {
        "name": type(clf).__name__,
        "before": [type(step).__name__ for _, step in getattr(subject.before, "steps", [])],
        "shortlist": None if shortlist is None else shortlist.name,
        "gap": gap,
        "routing": getattr(clf, "routing", "sign"),
        "theta": subject.theta,
        "parameters": [
            [name, _short(value), _short(value) == _short(signature[name].default)]
            for name, value in parameters.items()
        ],
        "n_machines": int(clf.machines_.n_machines),
        "n_support": None if support is None else int(support),
        "n_features": int(clf.n_features_in_),
        "n_rows": rows.n,
        "n_rows_passed": rows.n_all,
        "n_labelled": None if rows.truth is None else int((rows.truth >= 0).sum()),
        "n_unseen": 0 if rows.truth is None else int((rows.truth >= len(clf.classes_)).sum()),
    }


def _short(value: Any) -> str:
    """A parameter in a line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _followed(
    subject: Subject, rows: ReportRows, predicted: NDArray[np.int64], random_state: Any
) -> dict[str, Any]:
    """The rows that can be followed one by one, and the tree of the ways of all."""
    clf = subject.classifier
    most = max(LEAST_FOLLOWED, min(MOST_FOLLOWED, MOST_DROPPED // len(clf.classes_)))
    chosen = choose_rows(rows.truth, predicted, most, check_random_state(random_state))
    features = None
    if not get_tags(clf).input_tags.pairwise:  # else they are values of a kernel
        first = clf if subject.before is None else subject.before
        names = getattr(first, "feature_names_in_", None)
        features = feature_values(rows.original, chosen, names)
    steps = explained(clf, _safe_indexing(rows.inputs, chosen), subject.labels)
    return {
        "rows": {
            "place": rows.place[chosen].tolist(),
            "truth": None if rows.truth is None else rows.truth[chosen].tolist(),
            "predicted": predicted[chosen].tolist(),
            "explained": steps,
            "n_wrong": None if rows.truth is None else _n_wrong(rows.truth, predicted),
        },
        "features": features,
        "tree": tree(decision_structure(clf, X=rows.inputs), chosen),
    }


def _n_wrong(truth: NDArray[np.int64], predicted: NDArray[np.int64]) -> int:
    return int(((truth != predicted) & (truth != UNLABELLED)).sum())
