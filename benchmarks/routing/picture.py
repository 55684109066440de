"""Accuracy against cost, a panel for each data set, from the JSON of `benchmarks.routing.rules`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from benchmarks.routing.tables import DEFAULT, JSON, by_data

# Colours of Okabe and Ito, told apart by shape too.
STYLES = {
    "margin + shortlist": ("#0072B2", "o", "margin routing with a shortlist"),
    "margin": ("#56B4E9", "s", "margin routing along a structure"),
    "paper": ("#D55E00", "^", "the paper's rule"),
    "sign by cost": ("#E69F00", "v", "the paper's rule, machines chosen by cost"),
    "DAGSVM": ("#009E73", "D", "DAGSVM"),
    "vote": ("#000000", "X", "vote of all machines"),
}
NAMES = {
    "clinc150_lsa128": "clinc150",
    "caltech101_silhouettes28": "caltech101 silhouettes",
    "omniglot8_21x21": "omniglot",
    "ucr_fiftywords": "fiftywords",
}
COLUMNS = 4
# Points of accuracy that a panel shows at least.
LEAST_SPAN = 1.0
MOST_SVG_BYTES = 150_000


def readable(value, _):
    """A tick of the cost axis."""
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def draw_panel(axes, name, of_set):
    """All methods on one data set."""
    shown = [line for line in of_set if "failed" not in line]
    for family, (colour, marker, _) in STYLES.items():
        lines = [line for line in shown if line["method"] == family]
        lines.sort(key=lambda line: line.get("percent", 0))
        cost = [line["evaluations"] for line in lines]
        accuracy = [line["accuracy"] for line in lines]
        order = 4 if family == DEFAULT[0] else 3
        axes.plot(cost, accuracy, color=colour, marker=marker, ms=5, lw=1.3, mew=0, zorder=order)
        for line in lines:
            if (family, line["theta"]) == DEFAULT:
                at = (line["evaluations"], line["accuracy"])
                ring = {"ms": 10, "mfc": "none", "mec": colour, "mew": 1.4}
                axes.plot(*at, "o", zorder=5, **ring)
        if family == "vote" and accuracy:
            axes.axhline(accuracy[0], color="0.6", lw=0.8, ls=(0, (4, 3)), zorder=1)
    label = "gaussian classes" if name.startswith("gaussian") else NAMES.get(name, name)
    axes.set_title(f"{label}, k = {of_set[0]['classes']}", fontsize=9.5, loc="left")
    set_limits(axes, shown)


def set_limits(axes, lines):
    """Room around all points, and ticks that can be read."""
    cost = np.array([line["evaluations"] for line in lines])
    accuracy = np.array([line["accuracy"] for line in lines])
    axes.set_xscale("log")
    axes.set_xlim(cost.min() / 1.3, cost.max() * 1.3)
    wide = np.log10(cost.max() / cost.min()) > 1.3
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(readable))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    span = max(LEAST_SPAN, np.ptp(accuracy))
    middle = (accuracy.max() + accuracy.min()) / 2
    top = min(middle + 0.6 * span, 100 + 0.1 * span)
    axes.set_ylim(middle - 0.6 * span, top)
    axes.grid(color="0.92", lw=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8, length=2)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def legend_entries(families):
    """What the marks mean."""
    entries = [
        Line2D([], [], color=colour, marker=marker, ms=6, mew=0, lw=1.3, label=label)
        for family, (colour, marker, label) in STYLES.items()
        if family in families
    ]
    colour = STYLES[DEFAULT[0]][0]
    ring = {"ms": 10, "mfc": "none", "mec": colour, "mew": 1.4}
    entries.insert(1, Line2D([], [], ls="", marker="o", label="the default", **ring))
    return entries


def draw(means):
    """The whole figure."""
    sets = by_data(means)
    n_columns = min(COLUMNS, len(sets))
    n_rows = -(-len(sets) // n_columns)
    size = (2.7 * n_columns + 0.4, 2.15 * n_rows + 0.8)
    figure, grid = plt.subplots(
        n_rows, n_columns, figsize=size, squeeze=False, layout="constrained"
    )
    figure.get_layout_engine().set(w_pad=0.06, h_pad=0.06)
    for axes in grid.flat[len(sets) :]:
        axes.set_visible(False)
    for axes, (name, of_set) in zip(grid.flat, sets.items(), strict=False):
        draw_panel(axes, name, of_set)
    for axes in grid[:, 0]:
        axes.set_ylabel("accuracy %", fontsize=8.5)
    for axes in grid.flat[max(0, len(sets) - n_columns) : len(sets)]:
        axes.set_xlabel("kernel evaluations per row", fontsize=8.5)
    figure.legend(
        handles=legend_entries({line["method"] for line in means}),
        loc="outside lower center",
        ncols=4 if n_columns >= 3 else 2,
        fontsize=8.5,
        frameon=False,
        title="The points of a line are values of θ; dashed: accuracy of the vote",
        title_fontsize=8.5,
    )
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=JSON)
    parser.add_argument("--out", type=Path, default=Path("docs/images/routing.png"))
    arguments = parser.parse_args()
    mpl.use("Agg")
    # Text stays text, and the same figures give the same file.
    mpl.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "dcsvm"}
    figure = draw(json.loads(arguments.json.read_text())["means"])
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(arguments.out, dpi=150)
    svg = arguments.out.with_suffix(".svg")
    figure.savefig(svg, metadata={"Date": None})
    if svg.stat().st_size > MOST_SVG_BYTES:
        svg.unlink()


if __name__ == "__main__":
    main()
