"""`write_report`: one HTML file made of the template, its styles and scripts, and the data.

No text from the data is interpreted as HTML. The title is escaped, the data are a block of JSON
without any `<`, the scripts add text as text nodes only, and the content security policy allows
no other script and no request, but for the module of the form, which is part of the data.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
from importlib.resources import files
from typing import Any

from dcsvm._util.files import atomic_write
from dcsvm.inspection.search_map import SearchMap
from dcsvm.report.collecting import collect
from dcsvm.report.sections import SECTIONS, Section

# What the whole page needs; what its sections need follows.
SCRIPTS = ("dom.js", "format.js", "model.js", "tooltip.js", "scales.js", "heatmap.js")
STYLES = ("page.css", "figures.css", "matrices.css")


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    max_rows: int | None = None,
    random_state: Any = 0,
    search: SearchMap | None = None,
    remark: str | None = None,
    held_out_accuracy: float | None = None,
) -> None:
    """Write a page that shows how a classifier decides about some rows.

    It is one HTML file, which needs neither a network nor a server. It compares the classifier
    with a vote of all its machines, and shows the confusion matrix, accuracy and cost against θ,
    the All-Predictions table, and the paths of single rows. Where the model can be exported
    (`dcsvm.export.to_wasm`), a form shows how class and path change with the values of a row.

    Parameters
    ----------
    model : fitted DCSVC or DivideAndConquerClassifier
        Or a pipeline that ends in one.
    X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        Rows as `model.predict` takes them, preferably not used for training.
    y : array-like of shape (n_samples,), or None
        Their classes. Labels may be missing, or not be in the training data. Without labels the
        page shows no accuracy.
    path : str or path-like
        The file. It is written in full or not at all.
    title : str, default=None
        The title of the page.
    max_rows : int or None, default=None
        Of more rows so many are drawn at random; None takes all. The paths of up to 500 rows can
        be followed.
    random_state : int, RandomState instance or None, default=0
        Seed of the random choice of rows.
    search : SearchMap, default=None
        The scores by which C and γ were found, `SearchMap.of` a fitted `DCSVCCV`. Where the model
        is a `DCSVCCV` itself they are on the page anyway.
    remark : str, default=None
        What is to be known of the rows, in a sentence at the top of the page.
    held_out_accuracy : float, default=None
        The accuracy on rows held out from training, if the model was trained on the rows of X: the
        page shows it in the place of theirs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dcsvm import DCSVC
    >>> from dcsvm.report import write_report
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = DCSVC().fit(X[::2], y[::2])
    >>> write_report(clf, X[1::2], y[1::2], "iris.html")  # doctest: +SKIP
    """
    data = collect(
        *(model, X, y), title=title, max_rows=max_rows, random_state=random_state, search=search
    )
    data |= {"remark": remark, "held_out_accuracy": held_out_accuracy}
    page = render(data)
    with atomic_write(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")


def render(data: dict[str, Any]) -> str:
    """The HTML of a page."""
    shown = [section for section in SECTIONS if data[section.name] is not None]
    scripts = [*SCRIPTS, *(name for section in shown for name in section.scripts), "main.js"]
    styles = [*STYLES, *(name for section in shown for name in section.styles)]
    script = '(() => {\n"use strict";\n' + "\n".join(map(_source, scripts)) + "\n})();\n"
    style = "\n".join(map(_source, styles))
    # The form compiles the module in the page, which it must be allowed to.
    compiling = " 'wasm-unsafe-eval'" if "module" in data["trying"] else ""
    policy = (
        "default-src 'none'; img-src data:; "
        f"script-src 'sha256-{_digest(script)}'{compiling}; style-src 'sha256-{_digest(style)}'"
    )
    parts = {
        "title": html.escape(data["title"]),
        "policy": policy,
        "links": "\n".join(f'<a href="#{s.name}">{s.link}</a>' for s in shown),
        "sections": "\n".join(map(_element, shown)),
        "style": style,
        "script": script,
        "data": script_safe_json(data),
    }
    # In one pass, so that no text in the data is taken for a placeholder.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _source("page.html"))


def _element(section: Section) -> str:
    """The element of a section, which its script fills."""
    name = section.name
    return (
        f'<section id="{name}" aria-labelledby="{name}-title">'
        f'<h2 id="{name}-title">{section.title}</h2></section>'
    )


def script_safe_json(data: Any) -> str:
    """JSON that cannot end a script element, whatever its strings are."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _source(name: str) -> str:
    return files("dcsvm.report").joinpath("template", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
