"""An error explained: the decisions by which a digit came to the wrong class."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from dcsvm import DCSVC
from dcsvm.inspection import explain


def draw(file, n_rows=None):
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(
        X[:n_rows], y[:n_rows], test_size=0.5, stratify=y[:n_rows], random_state=0
    )
    clf = DCSVC(C=0.3).fit(X, y)
    predicted = clf.predict(X_test)
    wrong = np.flatnonzero(predicted != y_test)
    # One that was decided by few machines, but not by the scores alone.
    asked = clf.decision_cost(X_test[wrong]).decisions
    row = wrong[np.argmin(np.where(asked >= 5, asked, asked.max() + 1))]
    told = explain(clf, X_test[row])
    rounds = [one for one in told.rounds if one.kind == "machine"]
    means = {c: X[y == c].mean(axis=0) for c in clf.classes_}

    height = 0.75 * len(rounds) + 1.6
    figure = plt.figure(figsize=(9, height), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1, 2.6])
    axes = left.subplots()
    axes.imshow(X_test[row].reshape(8, 8), cmap="gray_r")
    axes.set_title(f"a {y_test[row]}, taken for a {predicted[row]}")
    axes.axis("off")
    grid = right.subplots(len(rounds), 3, width_ratios=[1, 6, 1], squeeze=False)
    span = 1.15 * max(1.0, *(abs(one.value) for one in rounds))
    for line, one in zip(grid, rounds, strict=True):
        i, j = one.machine
        for cell, c in ((line[0], j), (line[2], i)):
            cell.imshow(means[c].reshape(8, 8), cmap="gray_r")
            cell.axis("off")
        draw_value(line[1], one, span)
    right.suptitle("the machines asked, the value of each, and what it dropped", fontsize=10)
    figure.savefig(file, dpi=110)
    return told


def draw_value(axes, one, span):
    """The value on a line from one class of the machine to the other."""
    i, j = one.machine
    dropped = ", ".join(str(d.label) for d in one.dropped)
    what = f"drops {dropped}" if dropped else f"{one.set_aside} is kept for the final vote"
    if one.for_vote:
        what = "for the final vote"
    axes.plot([-span, span], [0, 0], color="0.8", lw=4, solid_capstyle="round", zorder=1)
    axes.plot([0, 0], [-0.5, 0.5], color="0.5", lw=1)
    axes.plot(one.value, 0, "o", ms=9, color="#0072B2")
    axes.set(xlim=(-1.2 * span, 1.2 * span), ylim=(-2.4, 1.6))
    axes.text(0, -2.3, f"{j} or {i}: {one.winner} ({one.value:+.2f}), {what}", ha="center")
    axes.axis("off")


if __name__ == "__main__":
    print(draw(sys.argv[1] if len(sys.argv) > 1 else "an_error.png"))
