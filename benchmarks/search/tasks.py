"""The data sets of the search with their grids, folds and test rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks.shared.problems import Problem, load, official, random_split, read, standardised

DATA = ["letter", "usps", "vowel", "segmentation", "glass", "clinc150_lsa128", "covertype5000"]
N_FOLDS = 5
CS = np.geomspace(0.1, 1000, 8)
# Times the γ of the set, which is that of "scale" for most.
FACTORS = 2.0 ** np.arange(-3, 3)


@dataclass(frozen=True)
class Task:
    """A data set, and the grid that is searched."""

    problem: Problem
    Cs: list[float]
    gammas: list[float]
    folds: list[tuple[np.ndarray, np.ndarray]]

    @property
    def grid(self):
        """As scikit-learn's searches take it."""
        return {"C": self.Cs, "gamma": self.gammas}

    def accuracy(self, model):
        """Of a fitted model on the test rows, in per cent."""
        return 100 * float(np.mean(model.predict(self.problem.X_test) == self.problem.y_test))


def covertype5000():
    """5,000 rows to train, 20,000 to test, drawn by class."""
    X, y, _ = read("covertype")
    return train_test_split(X, y, train_size=5000, test_size=20_000, stratify=y, random_state=0)


# Sets that no other measurement has.
OWN = {
    "vowel": lambda: standardised(official("vowel")),
    "segmentation": lambda: standardised(random_split("segmentation")),
    "glass": lambda: standardised(random_split("glass")),
    "covertype5000": lambda: standardised(covertype5000()),
}


def task(name):
    """One of `DATA`."""
    problem = own_problem(name) if name in OWN else load(name)
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    folds = list(splitter.split(problem.X_train, problem.y_train))
    return Task(problem, CS.tolist(), (problem.gamma * FACTORS).tolist(), folds)


def own_problem(name):
    """One of `OWN`, with the γ of "scale"."""
    X_train, X_test, y_train, y_test = OWN[name]()
    labels, codes = np.unique(np.concatenate([y_train, y_test]), return_inverse=True)
    assert set(y_train) == set(labels)
    gamma = 1.0 / (X_train.shape[1] * X_train.var())
    return Problem(
        name,
        np.ascontiguousarray(X_train, dtype=np.float64),
        codes[: len(y_train)],
        np.ascontiguousarray(X_test, dtype=np.float64),
        codes[len(y_train) :],
        10.0,
        float(gamma),
    )
