"""The style and the formats of all figures: for print, and readable without colour."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

WIDTH = 7.2  # inches: a page
# Okabe and Ito's colours, distinguishable with colour blindness and in grey.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#8C8C8C")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
INK = "#222222"

STYLE = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.labelsize": 9,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#555555",
    "svg.fonttype": "none",  # text is stored as text: small files
    "svg.hashsalt": "dcsvm",  # the same figure gives the same file
}


def new_figure(height, n_rows=1, n_columns=1, **options):
    """A figure of the width of the page, and its axes."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, **options)


def keep(draw, folder, name, *arguments):
    """Draw in this style, and write NAME.png and NAME.svg."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        figure = draw(*arguments)
        figure.savefig(Path(folder) / f"{name}.png", dpi=150, metadata={"Software": None})
        figure.savefig(Path(folder) / f"{name}.svg", metadata={"Date": None})
