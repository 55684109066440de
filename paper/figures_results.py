"""Figures 4 to 8: the results, ours beside the paper's."""

from __future__ import annotations

import numpy as np

from paper import published
from paper.drawing import COLOURS, INK, MARKERS, new_figure
from paper.methods import BUILT_IN, DAG, DEFAULT, ORDERS, VOTE, dcsvm
from paper.published import THETAS
from paper.trial import SEPARATION

RULE = dcsvm("purity", 0.1)
RISING = tuple(reversed(THETAS))
SEPARATED = ("letter", "vowel", "usps", "sensorless")


def fourth(results):
    """Accuracy by method and set."""
    names = results.sets("paper")
    shown = {
        "built-in": (BUILT_IN, published.BUILT_IN),
        "one-versus-one": (VOTE, published.VOTE),
        "DCSVM, θ = 0.1 %": (RULE, {name: published.ACCURACY[name][0.1] for name in names}),
    }
    figure, ax = new_figure(3.3)
    for b, (label, (method, reported)) in enumerate(shown.items()):
        x = np.arange(len(names)) + (b - 1) * 0.27
        found = [results.mean(name, "paper", method, "accuracy") for name in names]
        _bars(ax, x, found, label, b)
        _reported(ax, x, [reported[name] for name in names], "the paper" if b == 2 else None)
    ax.set_xticks(range(len(names)), names, rotation=35, ha="right", rotation_mode="anchor")
    ax.set(ylabel="accuracy (%)", ylim=(0, 102))
    ax.grid(axis="x", visible=False)
    _legend_above(ax)
    return figure


def _bars(ax, x, found, label, b):
    means = [f.mean for f in found]
    errors = np.nan_to_num([f.error for f in found])
    ax.bar(
        x, means, 0.25, yerr=errors, label=label, color=COLOURS[b], edgecolor=INK, linewidth=0.4,
        hatch=("", "///", "...")[b], error_kw={"elinewidth": 0.8},
    )  # fmt: skip


def _reported(ax, x, numbers, label):
    ax.plot(x, numbers, "_", color=COLOURS[5], markersize=7, mew=2.2, label=label, zorder=4)


def _legend_above(ax, **options):
    options = {"ncols": 4, "loc": "lower left", "bbox_to_anchor": (0, 1.0), **options}
    ax.legend(**options)


def fifth(results):
    """The cost of a row: support vectors, decisions and time."""
    names = results.sets("paper")
    panels = (
        ("support_vectors", "support vectors per row", published.SUPPORT_VECTORS, 1.0),
        ("decisions", "decisions per row", published.DECISIONS, 1.0),
        ("seconds", "µs per row", None, 1e6),
    )
    figure, axes = new_figure(7.2, 3, 1, sharex=True)
    for ax, (measure, label, reported, factor) in zip(axes, panels, strict=True):
        for b, (name, method) in enumerate((("one-versus-one", VOTE), ("DCSVM, θ = 0.1 %", RULE))):
            x = np.arange(len(names)) + (b - 0.5) * 0.36
            found = [results.mean(n, "paper", method, measure) for n in names]
            means = [np.nan if f is None else factor * f.mean for f in found]
            ax.bar(x, means, 0.34, label=name, color=COLOURS[b + 1], edgecolor=INK, linewidth=0.4,
                   hatch=("///", "...")[b])  # fmt: skip
            if b == 1 and reported is not None:
                _reported(ax, x, [reported[n][0.1] for n in names], "DCSVM, the paper")
        ax.set(ylabel=label, yscale="log")
        ax.grid(axis="x", visible=False)
    _legend_above(axes[0])
    axes[-1].set_xticks(range(len(names)), names, rotation=35, ha="right", rotation_mode="anchor")
    return figure


def sixth(results):
    """Accuracy and decisions against θ, of the sets on which θ has an effect in the paper."""
    names = [name for name in results.sets("paper") if _moves(published.DECISIONS[name])]
    figure, (left, right) = new_figure(4.3, 1, 2)
    for n, name in enumerate(names):
        style = {"color": COLOURS[n % 8], "marker": MARKERS[n % 8], "label": name}
        change = [results.less_vote(name, "paper", dcsvm("purity", theta)).mean for theta in RISING]
        left.plot(range(4), change, **style)
        steps = [results.mean(name, "paper", dcsvm("purity", t), "decisions").mean for t in RISING]
        right.plot(range(4), steps, **style)
        style.update(linestyle=":", markerfacecolor="white", label=None, linewidth=1)
        theirs = published.ACCURACY[name]
        left.plot(range(4), [theirs[t] - published.VOTE[name] for t in RISING], **style)
        right.plot(range(4), [published.DECISIONS[name][t] for t in RISING], **style)
    for ax, label in ((left, "accuracy less one-versus-one's"), (right, "decisions per row")):
        ax.set_xticks(range(4), [f"{theta:g}" for theta in RISING])
        ax.set(xlabel="threshold θ (%)", title=label)
    left.axhline(0, color=INK, linewidth=0.8)
    left.set_ylabel("points")
    right.set_yscale("log")
    ticks = [2, 3, 4, 5, 6, 8, 10, 15, 20]
    right.set_yticks(ticks, [str(tick) for tick in ticks])
    right.minorticks_off()
    handles, labels = left.get_legend_handles_labels()
    handles += left.plot([], [], "o:", color=INK, markerfacecolor="white", linewidth=1)
    figure.legend(
        handles, [*labels, "the paper"], loc="outside lower center", ncols=5, columnspacing=1.5
    )
    return figure


def _moves(decisions):
    """Whether θ has an effect."""
    return len(set(decisions.values())) > 1


def seventh(results):
    """Letter: accuracy by method against θ."""
    return accuracy_by_theta(results, "letter")


def accuracy_by_theta(results, name):
    """Accuracy by method against θ; methods without θ are horizontal lines."""
    figure, ax = new_figure(3.6)
    for order, colour, marker in zip(ORDERS, (COLOURS[0], COLOURS[2]), "os", strict=True):
        found = [results.mean(name, "paper", dcsvm(order, t), "accuracy") for t in RISING]
        ax.errorbar(
            range(4), [f.mean for f in found], yerr=[f.error for f in found], color=colour,
            marker=marker, capsize=2, label=f"DCSVM, order {order}",
        )  # fmt: skip
    across = ((VOTE, "-", INK), (DAG, "-.", COLOURS[3]), (DEFAULT, "--", COLOURS[5]))
    for method, line, colour in (*across, (BUILT_IN, ":", COLOURS[7])):
        at = results.mean(name, "paper", method, "accuracy").mean
        label = {DEFAULT: "DCSVM, the library's default", BUILT_IN: "built-in"}.get(method, method)
        ax.axhline(at, linestyle=line, color=colour, linewidth=1.3, label=label)
    theirs = published.ACCURACY[name]
    ax.plot(range(4), [theirs[t] for t in RISING], "o:", color=COLOURS[0], mfc="white",
            linewidth=1, label="DCSVM, the paper")  # fmt: skip
    for number, line, what in (
        (published.VOTE[name], (0, (1, 3)), "one-versus-one, the paper"),
        (published.BUILT_IN[name], (0, (1, 6)), "built-in, the paper"),
    ):
        ax.axhline(number, linestyle=line, color=INK, linewidth=1, label=what)
    ax.set_xticks(range(4), [f"{theta:g}" for theta in RISING])
    ax.set(xlabel="threshold θ (%)", ylabel="accuracy (%)", title=name)
    handles, labels = ax.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda t: (labels[t].endswith("the paper"), labels[t]))
    ax.legend(
        [handles[t] for t in order], [labels[t] for t in order],
        loc="center left", bbox_to_anchor=(1.0, 0.5),
    )  # fmt: skip
    return figure


def eighth(results):
    """The share of the entries of the table that are separated, against θ."""
    figure, ax = new_figure(3.3)
    for n, name in enumerate(SEPARATED):
        share = results.separation(name, "paper")
        ax.plot(
            SEPARATION,
            share,
            color=COLOURS[n],
            marker=MARKERS[n],
            markevery=5,
            label=name,
            clip_on=False,
        )
    ax.set(xlabel="threshold θ (%)", ylabel="separated entries (%)", xlim=(0, 5))
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


FIGURES = {4: fourth, 5: fifth, 6: sixth, 7: seventh, 8: eighth}
# The sets that each figure needs.
NEEDED = {7: {"letter"}, 8: set(SEPARATED)}
