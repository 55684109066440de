"""`SECTIONS`: the parts of a page, from top to bottom.

A section has a function that collects its data, and scripts that draw it: `draw.NAME = (section,
data) => …`, where `section` is its element, which has its title already. To add one, write both
and list them here. A section whose data is None is not on the page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dcsvm.report.asking import asking
from dcsvm.report.comparison import summary, thresholds
from dcsvm.report.matrices import confusion, table
from dcsvm.report.paths import paths
from dcsvm.report.probabilities import probabilities
from dcsvm.report.search import search
from dcsvm.report.subject import Subject
from dcsvm.report.trying import trying
from dcsvm.report.words import words


class Section(NamedTuple):
    """A part of the page."""

    name: str  # of its data, of its function in `draw`, and the id of its element
    title: str
    link: str  # its title in the list of links at the top
    collect: Callable[[Subject], Any]  # plain data, ready for JSON
    scripts: tuple[str, ...]  # files of the template, in the order in which they need each other
    styles: tuple[str, ...] = ()


SECTIONS = (
    Section(
        "summary", "Summary against one-versus-one", "Summary", summary, scripts=("summary.js",)
    ),
    Section(
        "confusion",
        "What is confused with what",
        "Confusion",
        confusion,
        scripts=("confusion.js",),
    ),
    Section(
        "asking",
        "From all classes to one",
        "From all to one",
        asking,
        scripts=("asking.js",),
        styles=("asking.css",),
    ),
    Section(
        "paths",
        "Rows and their paths",
        "Rows and paths",
        paths,
        scripts=(
            "rows.js",
            "rowlist.js",
            "features.js",
            "rounds.js",
            "treelayout.js",
            "tree.js",
            "explorer.js",
        ),
        styles=("explorer.css", "rowlist.css", "tree.css"),
    ),
    Section(
        "trying",
        "Try other values",
        "Try values",
        trying,
        scripts=("module.js", "trying.js"),
        styles=("trying.css",),
    ),
    Section(
        "thresholds",
        "Accuracy and cost against θ",
        "Threshold θ",
        thresholds,
        scripts=("thresholds.js",),
    ),
    Section(
        "probabilities",
        "Probabilities and sets of classes",
        "Probabilities",
        probabilities,
        scripts=("probabilities.js",),
        styles=("probabilities.css",),
    ),
    Section("search", "The search for C and γ", "Search", search, scripts=("search.js",)),
    Section("table", "The All-Predictions table", "Table", table, scripts=("table.js",)),
    Section("words", "Words on this page", "Words", words, scripts=("words.js",)),
)
