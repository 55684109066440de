"""Digits: which images are decided at once, which need most machines, which are wrong."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from dcsvm import DCSVC

COLUMNS = 8


def draw(file, n_rows=None):
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(
        X[:n_rows], y[:n_rows], test_size=0.5, stratify=y[:n_rows], random_state=0
    )
    clf = DCSVC(C=0.3).fit(X, y)
    predicted = clf.predict(X_test)
    decisions = clf.decision_cost(X_test).decisions
    right = predicted == y_test
    groups = {
        "decided by the scores alone": np.flatnonzero(right & (decisions == 0)),
        "most machines asked": np.argsort(-decisions, kind="stable"),
        "wrong": np.flatnonzero(~right),
    }
    figure = plt.figure(figsize=(9, 5.4), layout="constrained")
    for part, (title, rows) in zip(figure.subfigures(3), groups.items(), strict=True):
        some = "" if len(rows) == len(y_test) else f" ({len(rows)} of {len(y_test)})"
        part.suptitle(title + some, x=0.01, ha="left", fontsize=11)
        line = part.subplots(1, COLUMNS)
        for cell in line:
            cell.set(xticks=[], yticks=[])
            cell.spines[:].set_visible(False)
        for cell, row in zip(line, rows, strict=False):
            cell.imshow(X_test[row].reshape(8, 8), cmap="gray_r")
            said = predicted[row] if right[row] else f"{y_test[row]}, said {predicted[row]}"
            cell.set_xlabel(f"{said}\n{decisions[row]} asked", fontsize=9)
    figure.suptitle(f"accuracy {right.mean():.1%}, {decisions.mean():.1f} of 45 machines asked")
    figure.savefig(file, dpi=110, bbox_inches="tight")
    return right.mean(), decisions.mean()


if __name__ == "__main__":
    print(draw(sys.argv[1] if len(sys.argv) > 1 else "digits.png"))
