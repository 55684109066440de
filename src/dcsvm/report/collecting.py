"""The content of a report, collected as plain data."""

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
from dcsvm.inspection.fitted import CountedRows, FittedClassifier, find_classifier
from dcsvm.report.comparison import outcome_of, outcome_of_vote, over_thetas, summarise
from dcsvm.report.features import feature_values
from dcsvm.report.matrices import confusion, table_cells
from dcsvm.report.paths import explained, tree
from dcsvm.report.rows import UNLABELLED, ReportRows, choose_rows, draw_rows
from dcsvm.report.trying import form

# The rows whose paths are on the page: at most so many, fewer with many classes, since a path
# names each class that is dropped, but not fewer than the least number.
MOST_FOLLOWED = 500
MOST_DROPPED = 120_000
LEAST_FOLLOWED = 100
# Of a parameter's value.
MOST_LETTERS = 100


def collect(
    model: Any, X: Any, y: Any, *, title: str | None, max_rows: int, random_state: Any
) -> dict[str, Any]:
    """The content of the page, ready for JSON; parameters as in `write_report`."""
    fitted = find_classifier(model)
    clf = fitted.classifier
    if not isinstance(clf, RethresholdMixin):
        raise TypeError(
            "A report is about a DCSVC or a DivideAndConquerClassifier, or a pipeline that ends "
            f"in one, not {type(clf).__name__}."
        )
    if fitted.some_machines:
        raise TypeError(
            "A report compares with the vote of all machines and shows their table, but only the "
            "machines needed are trained: fit with machines='all'."
        )
    theta = fitted.theta
    assert theta is not None
    rows = draw_rows(fitted, X, y, max_rows, random_state)
    ours, vote = outcome_of(clf, rows.inputs), outcome_of_vote(clf, rows.inputs)
    usage = fitted.machine_usage(CountedRows(validated_rows(clf, rows.inputs), np.ones(rows.n)))
    return {
        "title": title or f"How {type(clf).__name__} decides",
        "version": dcsvm.__version__,
        "written": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"),
        "classes": rows.names,
        "n_classes": len(clf.classes_),
        "model": describe(fitted, rows),
        "summary": summarise(rows, ours, vote),
        "confusion": confusion(rows, ours.predicted),
        "thresholds": over_thetas(clf, theta, rows, vote),
        "table": table_cells(clf.table_, theta, usage.astype(np.int64)),
        **_followed(model, fitted, rows, ours.predicted, random_state),
    }


def describe(fitted: FittedClassifier, rows: ReportRows) -> dict[str, Any]:
    """The classifier, its parameters, and the rows of the report."""
    clf = fitted.classifier
    shortlist = getattr(clf, "shortlist_", None)
    signature = inspect.signature(type(clf).__init__).parameters
    parameters = clf.get_params(deep=False)
    gap = None if shortlist is None or not np.isfinite(shortlist.gap) else float(shortlist.gap)
    support = getattr(clf.machines_, "n_distinct_support", None)
    return {
        "name": type(clf).__name__,
        "before": [type(step).__name__ for _, step in getattr(fitted.preprocessing, "steps", [])],
        "shortlist": None if shortlist is None else shortlist.name,
        "gap": gap,
        "routing": getattr(clf, "routing", "sign"),
        "theta": fitted.theta,
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
    """The value of a parameter in a line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _followed(
    model: Any,
    fitted: FittedClassifier,
    rows: ReportRows,
    predicted: NDArray[np.int64],
    random_state: Any,
) -> dict[str, Any]:
    """The rows whose paths are shown one by one, and the tree of the paths of all rows."""
    clf = fitted.classifier
    most = max(LEAST_FOLLOWED, min(MOST_FOLLOWED, MOST_DROPPED // len(clf.classes_)))
    chosen = choose_rows(rows.truth, predicted, most, check_random_state(random_state))
    truth, features, n_wrong = None, None, None
    if rows.truth is not None:
        truth = rows.truth[chosen].tolist()
        n_wrong = int(((rows.truth != predicted) & (rows.truth != UNLABELLED)).sum())
    if not get_tags(clf).input_tags.pairwise:  # a kernel matrix has no features
        first = clf if fitted.preprocessing is None else fitted.preprocessing
        names = getattr(first, "feature_names_in_", None)
        features = feature_values(rows.original, chosen, names)
    return {
        "rows": {
            "place": rows.place[chosen].tolist(),
            "truth": truth,
            "predicted": predicted[chosen].tolist(),
            "explained": explained(clf, _safe_indexing(rows.inputs, chosen), fitted.labels),
            "n_wrong": n_wrong,
        },
        "features": features,
        "form": form(model, rows.original, chosen),
        "tree": tree(decision_structure(clf, X=rows.inputs), chosen),
    }
