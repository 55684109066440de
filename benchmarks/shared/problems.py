"""The data sets of the benchmarks, split and scaled."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import train_test_split

from dcsvm.datasets import stored


@dataclass(frozen=True)
class Problem:
    """A data set with its split, scaling, and parameters of the support vector machine."""

    name: str
    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    C: float
    gamma: float

    @property
    def n_classes(self):
        """How many classes there are."""
        return len(np.unique(self.y_train))

    @property
    def parameters(self):
        """C and gamma, for any support vector machine."""
        return {"C": self.C, "gamma": self.gamma}


def load(name, most_test_rows=None):
    """One of the sets below."""
    X_train, X_test, y_train, y_test = SETS[name]()
    _, codes = np.unique(np.concatenate([y_train, y_test]), return_inverse=True)
    y_train, y_test = codes[: len(y_train)], codes[len(y_train) :]
    if most_test_rows is not None and len(X_test) > most_test_rows:
        rows = np.random.default_rng(0).permutation(len(X_test))[:most_test_rows]
        X_test, y_test = X_test[rows], y_test[rows]
    gamma = GAMMA.get(name) or 1.0 / (X_train.shape[1] * X_train.var())
    contiguous = (np.ascontiguousarray(X, dtype=np.float64) for X in (X_train, X_test))
    X_train, X_test = contiguous
    return Problem(name, X_train, y_train, X_test, y_test, 10.0, float(gamma))


def read(name):
    """Features, labels as texts, and official split of a stored set, by the name of its file."""
    file = stored.find(f"{name}.parquet")
    if file is None:
        sys.exit(f"{name}.parquet is missing: set DCSVM_DATA to the folder with the data sets")
    data = stored.read(file)
    return data.data, data.target.astype(str), data.split


def official(name):
    """Train on the rows marked so, test on those marked "test"."""
    X, y, split = read(name)
    train, test = split == "train", split == "test"
    return X[train], X[test], y[train], y[test]


def random_split(name):
    """Three quarters for training, drawn by class."""
    X, y, _ = read(name)
    return train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)


def standardised(split):
    """The same with features of mean 0 and variance 1 on the training rows."""
    X_train, X_test, y_train, y_test = split
    mean, sd = X_train.mean(axis=0), X_train.std(axis=0)
    sd[sd == 0] = 1
    return (X_train - mean) / sd, (X_test - mean) / sd, y_train, y_test


def mnist():
    """The first 10,000 training rows, pixels in [0, 1]."""
    X_train, X_test, y_train, y_test = official("mnist")
    return X_train[:10_000] / 255, X_test / 255, y_train[:10_000], y_test


def usps():
    """Pixels in [-1, 1]."""
    X_train, X_test, y_train, y_test = official("usps")
    return 2 * X_train - 1, 2 * X_test - 1, y_train, y_test


def poker():
    """The whole training file, tested on the head of the test file."""
    X_train, y_train, _ = read("poker")
    X_test, y_test, _ = read("poker_test_head")
    return standardised((X_train, X_test, y_train, y_test))


def covertype(n_rows=20_000):
    """So many rows to train and 20,000 to test, drawn by class."""
    X, y, _ = read("covertype")
    return train_test_split(X, y, train_size=n_rows, test_size=20_000, stratify=y, random_state=0)


SETS = {
    "letter": lambda: standardised(official("letter")),
    "usps": usps,
    "mnist": mnist,
    "poker": poker,
    "sensorless_2200": lambda: standardised(random_split("sensorless_2200")),
    "clinc150_lsa128": lambda: official("clinc150_lsa128"),
    "ucr_fiftywords": lambda: official("ucr_fiftywords"),
    "covertype": lambda: standardised(covertype()),
    "covertype_100000": lambda: standardised(covertype(100_000)),
    "caltech101_silhouettes28": lambda: random_split("caltech101_silhouettes28"),
}

# For the others, the γ of "scale".
GAMMA = {"letter": 1 / 16, "usps": 1 / 256, "poker": 1 / 10}
