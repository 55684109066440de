"""The picture of `make bench-peers`: a panel for each data set."""

from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

# Colours of Okabe and Ito by the kind of a method, told apart by shape too.
STYLES = {
    "DCSVC": ("#0072B2", "*", 15),
    "SVC": ("#000000", "s", 7),
    "OpenCV SVM": ("#7a7a7a", "D", 6.5),
    "LinearSVC": ("#E69F00", "v", 7.5),
    "logistic regression": ("#E69F00", "^", 7.5),
    "k nearest neighbours": ("#CC79A7", "o", 7.5),
    "random forest": ("#009E73", "p", 8.5),
    "LightGBM": ("#009E73", "X", 8),
    "HistGradientBoosting": ("#009E73", "P", 8),
}
TITLES = {"ucr_fiftywords": "fiftywords", "sensorless_2200": "sensorless"}
ACCURACIES = [30, 40, 50, 60, 70, 75, 80, 85, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 99.5]


def height_of(accuracy):
    """Small errors are drawn apart as large ones are: by their logarithm."""
    return -np.log10(100 - np.asarray(accuracy))


def draw(lines, file):
    """Draw all panels into an SVG file."""
    mpl.rcParams.update({"svg.hashsalt": "dcsvm", "svg.fonttype": "none", "font.size": 9.5})
    names = list(dict.fromkeys(line["data"] for line in lines))
    figure, all_axes = plt.subplots(2, 3, figsize=(10.2, 6.2), layout="constrained")
    for axes, name in zip(all_axes.flat, names, strict=False):
        draw_panel(axes, name, [line for line in lines if line["data"] == name])
    key = all_axes.flat[len(names)]
    key.axis("off")
    points = [
        key.plot([], [], color=colour, marker=marker, ms=size, ls="", mew=0, label=method)[0]
        for method, (colour, marker, size) in STYLES.items()
    ]
    key.legend(handles=points, loc="center", frameon=False, fontsize=11, labelspacing=0.75)
    figure.supxlabel("microseconds to predict a row, one thread (to the left is faster)")
    figure.supylabel("accuracy, % (up is better)")
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)


def draw_panel(axes, name, of_set):
    """All methods on one data set."""
    for line in of_set:
        colour, marker, size = STYLES[line["method"]]
        at = (line["batch"], height_of(line["accuracy"]))
        front = 4 if line["method"] == "DCSVC" else 3
        axes.plot(*at, marker, color=colour, ms=size, mew=0.6, mec="white", zorder=front)
    heights = height_of([line["accuracy"] for line in of_set])
    margin = 0.08 * np.ptp(heights) + 0.01
    low, high = heights.min() - margin, heights.max() + margin
    axes.set(ylim=(low, high), xscale="log")
    axes.margins(x=0.09)
    shown = apart([a for a in ACCURACIES if low <= height_of(a) <= high], (high - low) / 11)
    axes.yaxis.set_major_locator(FixedLocator(height_of(shown).tolist()))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda h, _: f"{100 - 10**-h:.3g}"))
    axes.xaxis.set_major_locator(LogLocator(numticks=9))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.4g}"))
    axes.grid(color="0.88", lw=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(f"{TITLES.get(name, name)}, {of_set[0]['classes']} classes", fontsize=11)


def apart(accuracies, least):
    """As many ticks as do not touch, from the top."""
    kept = []
    for accuracy in reversed(accuracies):
        if not kept or height_of(kept[-1]) - height_of(accuracy) >= least:
            kept.append(accuracy)
    return kept
