"""Cost against accuracy: how many machines are asked, and what θ changes, with 100 classes.

The classes are the numbers from 00 to 99, made of two of scikit-learn's digits side by side.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from digits_demo import PAPER, pairs_of_digits
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC

THETAS = (0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)


def measured(clf, X, y):
    """Kernel evaluations per row, and the accuracy in per cent."""
    return clf.decision_cost(X).kernel_evaluations.mean(), 100 * clf.score(X, y)


def draw(file, n_rows=4000):
    X, y, X_test, y_test = pairs_of_digits(n_rows, n_rows // 2)
    clf = DCSVC(C=10).fit(X, y)
    curves = {
        "DCSVC": [measured(clf.rethreshold(theta=t), X_test, y_test) for t in THETAS],
        "the paper's rule": [
            measured(clf.rethreshold(**{**PAPER, "theta": t}), X_test, y_test) for t in THETAS
        ],
    }
    points = {
        "DCSVC as fitted": measured(clf, X_test, y_test),
        "vote of all 4,950": measured(OneVsOneSVC.from_machines(clf), X_test, y_test),
        "Platt's DAG, 99": measured(DAGSVC.from_machines(clf), X_test, y_test),
    }
    figure, axes = plt.subplots(figsize=(7.5, 4.4), layout="constrained")
    for (name, curve), colour in zip(curves.items(), ("#0072B2", "#D55E00"), strict=True):
        axes.plot(*np.transpose(curve), "o-", ms=4, color=colour, label=f"{name}, by θ")
        for theta, at in ((THETAS[0], curve[0]), (THETAS[-1], curve[-1])):
            axes.annotate(f"θ = {theta}", at, (7, -9), textcoords="offset points", fontsize=8)
    for (name, at), mark in zip(points.items(), "*sD", strict=True):
        axes.plot(*at, mark, ms=15 if mark == "*" else 8, color="k", label=name, zorder=4)
    axes.set(xscale="log", xlabel="kernel evaluations per row", ylabel="accuracy, %")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(file, dpi=110)
    return points


if __name__ == "__main__":
    print(draw(sys.argv[1] if len(sys.argv) > 1 else "cost_and_accuracy.png"))
