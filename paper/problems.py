"""The sets as the experiments use them, and their splits.

Two settings. "paper" is that of the paper's numbers: C = 1, γ = 1/d, features standardised
inside each machine, and glass with its column of row numbers. "tuned" is what a user would do:
C and γ by cross-validation, features standardised once, no row numbers.

Training time grows with the square of the rows. Of a set that is too large, `MOST_ROWS` rows are
drawn once, by class in the proportions of the set, with seed 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import train_test_split

from dcsvm.datasets import PAPER, load

SETTINGS = ("paper", "tuned")
# In addition, one trial in the setting of the paper with the official split of the set.
OFFICIAL = "official"
OFFICIAL_SETS = ("usps", "letter")
# Times are measured by separate tasks, one at a time, with no other task running.
TIMES = {setting: f"{setting} time" for setting in SETTINGS}
TIMED_TRIALS = 3
TRIALS = 10
TEST_SHARE = 0.2
# The paper's number of support vectors is that of 300 rows: the training file alone.
PART = {"svmguide4": "train"}

# Rows drawn from larger sets.
MOST_ROWS = {"covertype": 5_000}
# For a run of two minutes (--fast).
FAST_ROWS = {"letter": 2_600, "usps": 1_000, "poker": 2_000, "covertype": 2_000}
FAST_TRIALS = 2


@dataclass(frozen=True)
class Problem:
    """The rows of a set that are used."""

    name: str
    X: np.ndarray
    y: np.ndarray  # 0 … k − 1, in the order of the sorted labels
    labels: np.ndarray
    is_train: np.ndarray | None = None  # by the official split

    @property
    def n_classes(self):
        """The number of classes, k."""
        return len(self.labels)

    def split(self, trial):
        """Indices of training and of test rows: 80/20 by class, with the trial as seed."""
        if self.is_train is not None:
            return np.flatnonzero(self.is_train), np.flatnonzero(~self.is_train)
        return train_test_split(
            np.arange(len(self.y)), test_size=TEST_SHARE, stratify=self.y, random_state=trial
        )


def most_rows(name, fast):
    """The limit on the rows of a set, or None."""
    return (FAST_ROWS.get(name) if fast else None) or MOST_ROWS.get(name)


def problem(name, setting, fast=False):
    """A set prepared for a setting."""
    data = load(name)
    X, y = data.data, data.target
    split = data.split
    if name in PART and setting == "paper" and split is not None:
        X, y = X[split == PART[name]], y[split == PART[name]]
    if name == "glass" and setting == "paper":
        if "id" not in data.extra:
            raise OSError(
                "glass as the paper had it needs its column of row numbers, which OpenML's copy "
                "lacks: set DCSVM_DATA to a folder with glass.parquet."
            )
        X = np.column_stack([data.extra["id"].astype(np.float64), X])
    complete = ~np.isnan(X).any(axis=1)  # e1071 leaves out incomplete rows too
    X, y = X[complete], y[complete]
    most = None if setting == OFFICIAL else most_rows(name, fast)
    if most is not None and most < len(y):
        drawn = _drawn(y, most)
        X, y = X[drawn], y[drawn]
    labels, codes = np.unique(y, return_inverse=True)
    is_train = split == "train" if setting == OFFICIAL else None
    return Problem(name, np.ascontiguousarray(X, dtype=np.float64), codes, labels, is_train)


def _drawn(y, n_rows):
    """Indices of `n_rows` rows, by class in proportion, but no fewer than five of a class."""
    random = np.random.default_rng(0)
    chosen = []
    for label in np.unique(y):
        places = np.flatnonzero(y == label)
        share = min(len(places), max(5, round(len(places) * n_rows / len(y))))
        chosen.append(random.choice(places, share, replace=False))
    return np.sort(np.concatenate(chosen))


__all__ = ["PAPER", "SETTINGS", "TRIALS", "Problem", "problem"]
