"""`write_report`: the data of a report and its template become one file."""

from __future__ import annotations

import os
from typing import Any

from dcsvm._util.files import atomic_write
from dcsvm.report.collecting import collect
from dcsvm.report.page import render


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    max_rows: int = 2000,
    random_state: Any = 0,
) -> None:
    """Write a page about how a classifier decides about some rows.

    One HTML file that needs nothing else, neither a network nor a server. It compares the
    classifier with a vote of all its machines, shows what it confuses, what θ changes, and the
    All-Predictions table, and lets one follow the path of single rows.

    Parameters
    ----------
    model : fitted DCSVC or DivideAndConquerClassifier
        Or a pipeline that ends in one.
    X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        Rows as `model.predict` takes them, best such as were not used for training.
    y : array-like of shape (n_samples,), or None
        Their classes. Labels may be missing, or be unknown to the model. Without any, the page
        says nothing of accuracy.
    path : str or path-like
        The file. It is there in full or not at all.
    title : str, default=None
        What stands at the top of the page.
    max_rows : int, default=2000
        Of more rows so many are drawn. Of these up to 500 can be followed on the page.
    random_state : int, RandomState instance or None, default=0
        Draws them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dcsvm import DCSVC
    >>> from dcsvm.report import write_report
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = DCSVC().fit(X[::2], y[::2])
    >>> write_report(clf, X[1::2], y[1::2], "iris.html")  # doctest: +SKIP
    """
    data = collect(model, X, y, title=title, max_rows=max_rows, random_state=random_state)
    page = render(data)
    with atomic_write(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
