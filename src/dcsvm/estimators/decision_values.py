"""Decision values made comparable between classes, in scikit-learn's conventions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.threads import n_threads, run_short

Floats = NDArray[np.float64]

# Decision values (rows × machines) held at a time.
VALUES_AT_ONCE = 2**22


def all_values(machines: Any, X: Any, n_jobs: int | None) -> Iterator[tuple[slice, Floats]]:
    """Decision values of all machines, some rows at a time."""
    at_once = max(1, min(machines.rows_per_call, VALUES_AT_ONCE // machines.n_machines))
    wave = at_once * n_threads(n_jobs)
    for begin in range(0, X.shape[0], wave):
        blocks = [
            slice(start, min(start + at_once, X.shape[0]))
            for start in range(begin, min(begin + wave, X.shape[0]), at_once)
        ]
        values = run_short(
            lambda rows: machines.all_values(machines.prepare(X[rows]), 0, rows.stop - rows.start),
            blocks,
            n_jobs,
        )
        yield from zip(blocks, values, strict=True)


def pairwise_decision(machines: Any, X: Any, n_jobs: int | None) -> Floats:
    """The values of all machines in the order and with the signs of scikit-learn's SVC."""
    if machines.some_pairs is not None:
        raise ValueError(
            "decision_function_shape='ovo' needs the machines of all pairs of classes, but only "
            "those needed are trained: fit with machines='all'."
        )
    decision = np.empty((X.shape[0], machines.n_machines))
    for rows, values in all_values(machines, X, n_jobs):
        decision[rows] = values
    return binary_decision(decision[:, 0]) if machines.n_classes == 2 else decision


def squash(values: Floats) -> Floats:
    """Map values into (−1/3, 1/3), keeping their order: less than any whole difference."""
    with np.errstate(invalid="ignore"):
        squashed = values / (np.abs(values) + 1) / 3
    # Values that overflowed are mapped to the ends.
    return np.where(np.isfinite(values), squashed, np.nan_to_num(np.sign(values)) / 3)


def binary_decision(values: Floats) -> Floats:
    """Values of the only machine as scikit-learn wants them: positive for the second class.

    What is not above 0 goes to the second class, which scikit-learn shows by a value > 0.
    """
    second = np.where(values < 0, -values, np.finfo(np.float64).tiny)
    return np.where(values > 0, -values, second)
