"""What is left after each decision, the machines asked most, and the pairs confused most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.report.features import number
from dcsvm.report.rows import UNLABELLED
from dcsvm.report.subject import Subject

# Classes left: bars tell 1, 2, 3 to 4, 5 to 8, 9 to 16 and more apart.
UPPER_ENDS = (1, 2, 4, 8, 16)
MOST_MACHINES = 12
MOST_PAIRS = 8


def asking(subject: Subject) -> dict[str, Any]:
    """How the rows come to one class."""
    narrowing = subject.narrowing
    left = narrowing.left
    done = (left == 1).all(axis=0)
    n_steps = int(done.argmax()) + 1 if done.any() else left.shape[1]
    most_asked = np.argsort(-narrowing.usage, kind="stable")[:MOST_MACHINES]
    pairs = subject.classifier.machines_.pairs
    return {
        "by_scores": narrowing.by_scores,
        "ends": list(UPPER_ENDS),
        "steps": [_counted(left[:, step]) for step in range(n_steps)],
        "mean": [number(float(left[:, step].mean()), 3) for step in range(n_steps)],
        "n_voted": narrowing.n_voted,
        "never_asked": int((narrowing.usage == 0).sum()),
        "asked": [
            [*pairs[m].tolist(), int(narrowing.usage[m])]
            for m in most_asked.tolist()
            if narrowing.usage[m] > 0
        ],
        "confused": _confused(subject),
    }


def _counted(left: NDArray[np.int64]) -> list[int]:
    """Rows by the number of classes left, as UPPER_ENDS divides them."""
    bins = np.searchsorted(UPPER_ENDS, left)
    return np.bincount(bins, minlength=len(UPPER_ENDS) + 1).tolist()  # type: ignore[no-any-return]


def _confused(subject: Subject) -> list[list[Any]]:
    """Pairs of a true and a predicted class, their rows, and one of those that are followed."""
    truth, predicted = subject.rows.truth, subject.ours.predicted
    if truth is None:
        return []
    wrong = np.flatnonzero((truth != predicted) & (truth != UNLABELLED))
    both, counts = np.unique(
        np.column_stack([truth[wrong], predicted[wrong]]), axis=0, return_counts=True
    )
    found = []
    for at in np.argsort(-counts, kind="stable")[:MOST_PAIRS].tolist():
        t, p = both[at].tolist()
        followed = (truth[subject.followed] == t) & (predicted[subject.followed] == p)
        example = int(followed.argmax()) if followed.any() else None
        found.append([t, p, int(counts[at]), example])
    return found
