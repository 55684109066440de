"""The pictures of the pages, drawn by the library from data that comes with scikit-learn.

`python docs/hooks/pictures.py` draws all of them again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from results import table_below
from rooms import draw_rooms
from sklearn.datasets import load_digits, make_blobs
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import dcsvm
from dcsvm import DCSVC, DCSVCCV, DivideAndConquerClassifier
from dcsvm.inspection import (
    PredictionTableDisplay,
    SearchDisplay,
    SeparationDisplay,
    ThresholdDisplay,
    plot_separators,
    plot_tree,
)
from dcsvm.routing.dag.criteria import measures
from dcsvm.routing.sides import sides

ROOT = Path(__file__).parents[2]
STYLE = {
    "font.size": 9,
    "axes.titlesize": 9,
    "figure.facecolor": "white",  # the pages put pictures on white, in the dark too
    "savefig.dpi": 160,
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.08,
}
CENTRES = [[-6, 3], [0, -4.5], [1, 3.5], [7, -3], [6.5, 4], [-7, -4]]
FEATURES = ["first feature", "second feature"]
NAMES = ["A", "B", "C", "D", "E", "F"]
INK, BLUE, RED = "#22303c", "#3b6ea5", "#d1495b"
OURS = ("DCSVC", "DCSVC θ=1 %", "OneVsOneSVC", "DAGSVC")


@cache
def plane() -> tuple[Any, Any]:
    """Six classes in the plane, similar to the first figure of the paper."""
    X, codes = make_blobs(900, centers=np.array(CENTRES), cluster_std=1.3, random_state=3)
    return X, np.array(NAMES)[codes]


@cache
def plane_classifier() -> DCSVC:
    """A classifier with the paper's rule for these classes."""
    return DCSVC.paper(kernel="linear").fit(*plane())


@cache
def digits() -> tuple[Any, Any, Any, Any]:
    """Training rows, test rows and their labels."""
    X, y = load_digits(return_X_y=True)
    return tuple(train_test_split(X, y, random_state=0))


@cache
def digits_classifier() -> DCSVC:
    """A classifier with the default rule for the digits."""
    X, _, y, _ = digits()
    return DCSVC(C=10).fit(X, y)


def separators() -> Figure:
    """The machines over the plane, the first one evaluated drawn thick."""
    figure, tree_figure = Figure((6.2, 4.6), layout="constrained"), Figure()
    axes = [figure.add_subplot(), tree_figure.add_subplot()]
    plot_separators(
        plane_classifier(), feature_names=["first feature", "second feature"], axes=axes
    )
    return figure


def overview() -> Figure:
    """The separators and the decision structure, with the path of one row."""
    figure = Figure((8, 10), layout="constrained")
    axes = figure.subplots(2, 1, height_ratios=(1, 1.3))
    clf = plane_classifier()
    plot_separators(clf, highlight=[6.0, 2.9], max_nodes=None, feature_names=FEATURES, axes=axes)
    return figure


def table() -> Figure:
    """The All-Predictions table of the six classes."""
    figure = Figure((6.4, 4.8), layout="constrained")
    PredictionTableDisplay.from_estimator(plane_classifier(), ax=figure.add_subplot())
    return figure


def criteria() -> Figure:
    """Purity, balance and score of every machine over all six classes."""
    clf = plane_classifier()
    found = measures(sides(clf.table_, clf.theta_), range(len(clf.classes_)))
    names = [f"{clf.classes_[i]} vs {clf.classes_[j]}" for i, j in clf.table_.pairs]
    chosen = int(clf.dag_.machine[clf.dag_.root])
    panels = (
        ("purity P: classes left undecided\n(lower is better)", found.purity),
        ("balance B: classes on one side only,\nsmaller side (higher is better)", found.balance),
        ("score S: share of the machine's own\nclasses on their side", found.score),
    )
    figure = Figure((8.6, 4.2), layout="constrained")
    for ax, (title, values) in zip(figure.subplots(1, 3, sharey=True), panels, strict=True):
        colours = [RED if m == chosen else BLUE for m in range(len(names))]
        ax.scatter(values, names, color=colours, s=28)
        ax.set_title(title)
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.25)
    figure.axes[0].invert_yaxis()
    figure.axes[0].set_ylabel("machine (red: the one chosen)")
    figure.axes[2].xaxis.get_major_locator().set_params(nbins=3)
    for ax in figure.axes[:2]:
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlim(-0.2, max(ax.get_xlim()[1], 2.2))
    return figure


def structure() -> Figure:
    """The decision structure of the six classes."""
    return plot_tree(plane_classifier())[0].figure


def values() -> Figure:
    """The values of one machine at all digits, and the plausible range of each digit."""
    figure = Figure((6.4, 4.2), layout="constrained")
    SeparationDisplay.from_estimator(digits_classifier(), (1, 8), ax=figure.add_subplot())
    return figure


def path() -> Figure:
    """The paths of the digits with a shortlist, one row's path marked."""
    row = digits()[1][4]
    artists = plot_tree(digits_classifier(), highlight=row, max_nodes=14, max_children=2)
    return artists[0].figure


def threshold() -> Figure:
    """Accuracy and cost against θ for the digits."""
    _, X_test, _, y_test = digits()
    figure = Figure((6, 4.8), layout="constrained")
    ThresholdDisplay.from_estimator(digits_classifier(), X_test, y_test, ax=figure.add_subplot())
    return figure


def search() -> Figure:
    """Scores of a search over C and γ for the digits."""
    X_train, _, y_train, _ = digits()
    figure = Figure((6, 3.6), layout="constrained")
    found = DCSVCCV(Cs=8, gammas=6, refit=False).fit(X_train, y_train)
    SearchDisplay.from_estimator(found, ax=figure.add_subplot())
    return figure


def digits_table() -> Figure:
    """The table of the digits."""
    figure = Figure((6.4, 7.2), layout="constrained")
    PredictionTableDisplay.from_estimator(digits_classifier(), ax=figure.add_subplot())
    return figure


def boundary() -> Figure:
    """The predictions over the plane, by support vector machines and by logistic regressions."""
    X, y = plane()
    codes = np.searchsorted(NAMES, y)
    colours = [f"C{c}" for c in range(len(NAMES))]
    panels = (
        ("DCSVC()", DCSVC()),
        (
            "DivideAndConquerClassifier(LogisticRegression())",
            DivideAndConquerClassifier(LogisticRegression()),
        ),
    )
    figure = Figure((9.4, 4), layout="constrained")
    for ax, (title, clf) in zip(figure.subplots(1, 2), panels, strict=True):
        DecisionBoundaryDisplay.from_estimator(
            clf.fit(X, codes),
            X,
            response_method="predict",
            plot_method="pcolormesh",
            multiclass_colors=colours,
            alpha=0.35,
            ax=ax,
        )
        ax.scatter(*X.T, c=[colours[code] for code in codes], s=6)
        ax.set_title(title)
        ax.set_xticks([])
        ax.set_yticks([])
    return figure


def speed() -> Figure:
    """Time for a row of letter by method, read from benchmarks/RESULTS.md."""
    results = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    header, rows = table_below("Prediction", ["µs/row", "accuracy %"], results)
    named = [dict(zip(header, row, strict=True)) for row in rows]
    shown = [row for row in named if row["data set"] == "letter" and row["threads"] == "1"]
    shown.sort(key=lambda row: float(row["µs/row"]))
    figure = Figure((7.4, 3.2), layout="constrained")
    ax = figure.add_subplot()
    names = [row["method"] for row in shown]
    times = [float(row["µs/row"]) for row in shown]
    ax.scatter(times, names, color=[BLUE if n in OURS else INK for n in names], s=30, zorder=2)
    for row, time in zip(shown, times, strict=True):
        ax.text(time * 1.2, row["method"], f"{time:.3g} µs, {row['accuracy %']} %", va="center")
    ax.set_xscale("log")
    ax.set_xlim(min(times) / 1.5, max(times) * 8)
    ax.grid(alpha=0.25)
    ax.set_xlabel("µs per row in a batch (logarithmic), and accuracy; methods of dcsvm in blue")
    ax.spines[["top", "right"]].set_visible(False)
    ax.invert_yaxis()
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "separators": separators,
    "overview": overview,
    "table": table,
    "criteria": criteria,
    "structure": structure,
    "values": values,
    "path": path,
    "threshold": threshold,
    "search": search,
    "digits-table": digits_table,
    "boundary": boundary,
    "speed": speed,
    "rooms": draw_rooms,
}


def draw_missing(folder: Path, anew: bool = False) -> None:
    """Draw the pictures that are missing, or older than the code that draws them."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = [*Path(dcsvm.__file__).parent.rglob("*.py"), *Path(__file__).parent.glob("*.py")]
    sources.append(ROOT / "benchmarks" / "RESULTS.md")
    newest = max(source.stat().st_mtime for source in sources)
    with mpl.rc_context({**STYLE, "backend": "agg"}):
        for name, draw in PICTURES.items():
            target = folder / f"{name}.png"
            if anew or not target.exists() or target.stat().st_mtime < newest:
                # Under another name first: an interrupt must not leave half a picture.
                unfinished = folder / f"{name}.{os.getpid()}.unfinished"
                draw().savefig(unfinished, format="png")
                plt.close("all")
                unfinished.replace(target)


if __name__ == "__main__":
    draw_missing(ROOT / "docs" / "images" / "made", anew=True)
