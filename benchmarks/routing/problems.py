"""The data sets of the measurements of routing: stored, Gaussian, and numbers of several digits."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from benchmarks.shared.problems import Problem, read, standardised

STORED = [
    "letter",
    "usps",
    "clinc150_lsa128",
    "caltech101_silhouettes28",
    "omniglot8_21x21",
    "ucr_fiftywords",
    "mnist",
    "krkopt",
]
# Classes: features and rows per class.
GAUSSIAN = {50: (16, 100), 100: (16, 100), 400: (16, 100), 1000: (27, 50)}
DATA = [*STORED, *(f"gaussian{k}" for k in GAUSSIAN)]
# Sets not used for any choice of the method.
FRESH = [
    "vowel",
    "segmentation",
    "sensorless_2200",
    "svmguide4",
    "wine-quality",
    "covertype",
    "poker",
    "digits",
    "digit_pairs",
    "digit_triples",
]

# Digits of a number, symbols to write them with, and rows.
NUMBERS = {"digits": (1, 10, 1797), "digit_pairs": (2, 10, 6000), "digit_triples": (3, 6, 6000)}

FEWEST_ROWS = 4
MOST_ROWS_OF_FRESH = 12_000
MNIST_ROWS = 10_000
# Of the set whose vote evaluates half a million machines.
LARGEST, SPLITS_OF_LARGEST, TEST_ROWS_OF_LARGEST = "gaussian1000", 1, 2000
CENTRE_DEVIATION = 2.0
ROW_DEVIATION = 0.75
# Rows of each class with --quick.
QUICK_ROWS = 40


def gaussian_classes(n_classes):
    """Normal rows of deviation 0.75 around centres that are themselves normal of deviation 2.

    The seed is the number of classes, so that every run sees the same rows.
    """
    n_features, n_rows = GAUSSIAN[n_classes]
    rng = np.random.default_rng(n_classes)
    centres = rng.normal(scale=CENTRE_DEVIATION, size=(n_classes, n_features))
    y = np.repeat(np.arange(n_classes), n_rows)
    return centres[y] + rng.normal(scale=ROW_DEVIATION, size=(len(y), n_features)), y


def numbers_of_digits(n_digits, n_symbols, n_rows):
    """Handwritten numbers: scikit-learn's digits, drawn at random and set side by side."""
    X, y = load_digits(return_X_y=True)
    X, y = X[y < n_symbols], y[y < n_symbols]
    drawn = np.random.default_rng(0).integers(0, len(y), (n_digits, n_rows))
    return np.hstack(X[drawn]), n_symbols ** np.arange(n_digits) @ y[drawn]


def stored_rows(name):
    """Features and labels of a set."""
    if name.startswith("gaussian"):
        return gaussian_classes(int(name.removeprefix("gaussian")))
    if name in NUMBERS:
        return numbers_of_digits(*NUMBERS[name])
    X, y, split = read(name)
    if name == "mnist":
        first = np.flatnonzero(split == "train")[:MNIST_ROWS]
        X, y = X[first], y[first]
    if name in FRESH and len(y) > MOST_ROWS_OF_FRESH:
        drawn = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS_OF_FRESH]
        X, y = X[drawn], y[drawn]
    return X, y


def rows_of(name):
    """Features and labels 0, 1, … of a set, without classes of very few rows."""
    X, y = stored_rows(name)
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    enough = counts >= FEWEST_ROWS
    kept = enough[codes]
    return X[kept], (np.cumsum(enough) - 1)[codes[kept]]


def load_split(name, split, quick=False, most_test_rows=None):
    """Split number `split` in three quarters and one, by class; γ is that of "scale"."""
    X, y = rows_of(name)
    if quick:
        order = np.random.default_rng(0).permutation(len(y))
        order = order[np.argsort(y[order], kind="stable")]
        first = np.searchsorted(y[order], y[order])
        kept = np.sort(order[np.arange(len(y)) - first < QUICK_ROWS])
        X, y = X[kept], y[kept]
    parts = train_test_split(X, y, test_size=0.25, stratify=y, random_state=split)
    X_train, X_test, y_train, y_test = standardised(parts)
    if name == LARGEST:
        most_test_rows = min(most_test_rows or TEST_ROWS_OF_LARGEST, TEST_ROWS_OF_LARGEST)
    if most_test_rows is not None and len(y_test) > most_test_rows:
        X_test, y_test = X_test[:most_test_rows], y_test[:most_test_rows]
    gamma = 1.0 / (X_train.shape[1] * X_train.var())
    X_train, X_test = map(np.ascontiguousarray, (X_train, X_test))
    return Problem(name, X_train, y_train, X_test, y_test, 10.0, float(gamma))
