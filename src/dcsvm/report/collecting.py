"""The content of a report, collected as plain data."""

from __future__ import annotations

import inspect
from datetime import datetime
from typing import Any

import numpy as np

import dcsvm
from dcsvm.estimators.access import route_of
from dcsvm.estimators.voting import VoteRoute
from dcsvm.inspection.search_map import SearchMap
from dcsvm.report.sections import SECTIONS
from dcsvm.report.subject import Subject, study

# The value of a parameter is cut to so many.
MOST_LETTERS = 100


def collect(
    model: Any,
    X: Any,
    y: Any,
    *,
    title: str | None,
    max_rows: int | None,
    random_state: Any,
    search: SearchMap | None = None,
) -> dict[str, Any]:
    """The content of the page, ready for JSON; parameters as in `write_report`."""
    subject = study(model, X, y, max_rows=max_rows, random_state=random_state)
    subject = subject._replace(search=search)
    clf = subject.classifier
    return {
        "title": title or f"How {type(clf).__name__} decides",
        "remark": None,
        "held_out_accuracy": None,
        "version": dcsvm.__version__,
        "written": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"),
        "classes": subject.rows.names,
        "n_classes": len(clf.classes_),
        "model": describe(subject),
        **{section.name: section.collect(subject) for section in SECTIONS},
    }


def describe(subject: Subject) -> dict[str, Any]:
    """The classifier, its parameters, and the rows of the report."""
    clf, rows = subject.classifier, subject.rows
    shortlist = getattr(clf, "shortlist_", None)
    signature = inspect.signature(type(clf).__init__).parameters
    parameters = clf.get_params(deep=False)
    gap = None if shortlist is None or not np.isfinite(shortlist.gap) else float(shortlist.gap)
    support = getattr(clf.machines_, "n_distinct_support", None)
    steps = getattr(subject.fitted.preprocessing, "steps", [])
    return {
        "name": type(clf).__name__,
        "before": [type(step).__name__ for _, step in steps],
        "shortlist": None if shortlist is None else shortlist.name,
        "gap": gap,
        "votes": isinstance(route_of(clf), VoteRoute),
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
    """The value of a parameter in a line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
