"""C and γ by cross-validation on training rows alone."""

from __future__ import annotations

import itertools

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split

from dcsvm import OneVsOneSVC

CS = (1.0, 10.0, 100.0)
# Times 1/d.
GAMMAS = (0.25, 1.0, 4.0)
FOLDS = 3
# Larger sets are reduced to this many rows, drawn by class: enough to choose one of nine.
MOST_ROWS = 2_000


def tuned(X, y, trial):
    """The pair (C, γ) with the best accuracy of a vote; of equals the first, the smoothest."""
    if len(y) > MOST_ROWS:
        rows, _ = _part(y, trial)
        X, y = X[rows], y[rows]
    folds = list(_folds(y, trial))
    grid = list(itertools.product(CS, GAMMAS))
    score = [
        np.mean([_accuracy(X, y, *fold, C, g / X.shape[1]) for fold in folds]) for C, g in grid
    ]
    C, g = grid[int(np.argmax(np.round(score, 12)))]
    return C, g / X.shape[1]


def _part(y, trial):
    return train_test_split(
        np.arange(len(y)),
        train_size=MOST_ROWS,
        stratify=_merged_labels(y),
        random_state=trial,
    )


def _folds(y, trial):
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=trial)
    yield from folds.split(np.zeros(len(y)), _merged_labels(y))


def _merged_labels(y):
    """Labels to stratify by, with the classes of too few rows merged."""
    counts = np.bincount(y)
    return np.where(counts[y] >= FOLDS, y, -1) if (counts[counts > 0] < FOLDS).any() else y


def _accuracy(X, y, train, test, C, gamma):
    vote = OneVsOneSVC(C=C, gamma=gamma, scaling="global").fit(X[train], y[train])
    return np.mean(vote.predict(X[test]) == y[test])
