"""A search for C and γ: the cross-validated accuracy of all points, found in one call."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from dcsvm import DCSVCCV


def draw(file, n_rows=None):
    X, y = load_digits(return_X_y=True)
    X, y = X[:n_rows] / 16, y[:n_rows]
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
    clf = DCSVCCV(Cs=9, gammas=list(np.geomspace(0.001, 1, 7)), racing=False).fit(X, y)
    score = 100 * clf.scores_.mean(axis=0)
    figure, axes = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
    # Small differences near the best matter most.
    shown = axes.imshow(np.maximum(score, score.max() - 4), cmap="viridis", aspect="auto")
    for (r, c), value in np.ndenumerate(score):
        light = value > score.max() - 2
        axes.text(c, r, f"{value:.1f}", ha="center", va="center", color="k" if light else "w")
    best = np.unravel_index(score.argmax(), score.shape)
    axes.plot(best[1], best[0], "s", ms=34, mfc="none", mec="#dc2626", mew=2.5)
    axes.set_xticks(range(len(clf.Cs_)), [f"{C:.3g}" for C in clf.Cs_])
    axes.set_yticks(range(len(clf.gammas_)), [f"{g:.3g}" for g in clf.gammas_])
    axes.set(xlabel="C", ylabel="γ")
    figure.colorbar(shown, label="cross-validated accuracy, %", extend="min")
    test = clf.score(X_test, y_test)
    axes.set_title(f"best: C = {clf.C_:.3g}, γ = {clf.gamma_:.3g}; on other rows {test:.1%} right")
    figure.savefig(file, dpi=110)
    return clf.best_score_, test


if __name__ == "__main__":
    print(draw(sys.argv[1] if len(sys.argv) > 1 else "search.png"))
