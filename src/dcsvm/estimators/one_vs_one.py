"""`OneVsOneSVC`: the vote of all machines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.threads import n_threads, run_short
from dcsvm.estimators.decision_values import binary_decision, squash
from dcsvm.estimators.machines_only import MachinesOnlySVC
from dcsvm.estimators.state import snapshot
from dcsvm.estimators.voting import count_votes, vote_of_machines

# Decision values (rows × machines) held at a time.
VALUES_AT_ONCE = 2**22


class OneVsOneSVC(MachinesOnlySVC):
    """The vote of all k(k−1)/2 machines, as in :class:`sklearn.svm.SVC`.

    Every machine votes for one of its two classes; the class with most votes wins, of
    equals the first in sorted order. Parameters and attributes are those of
    :class:`DCSVC`, without the table and the decision structure.
    """

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row of X."""
        now = snapshot(self)
        X = now._check_rows(X)
        return now.classes_[vote_of_machines(now.machines_, X, now.n_jobs)]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Votes of each class, and how clear they were.

        Shape (n_samples, n_classes). To the number of votes comes the sum of the values for
        the class, mapped into (−1/3, 1/3), and 2/3 for the class predicted, so that the
        highest value is always its own, also where votes are equal. Two classes: shape
        (n_samples,), the value of their machine, positive for the second one.
        """
        now = snapshot(self)
        X = now._check_rows(X)
        k = len(now.classes_)
        decision = np.empty((X.shape[0], k)) if k > 2 else np.empty(X.shape[0])
        i, j = now.machines_.pairs.T
        for rows, values in now._values(X):
            if k == 2:
                decision[rows] = binary_decision(values[:, 0])
                continue
            votes = count_votes(values, now.machines_.pairs, k)
            confidence = np.zeros(votes.shape)
            for c in range(k):
                confidence[:, c] = _row_sums(values[:, i == c]) - _row_sums(values[:, j == c])
            decision[rows] = votes + squash(confidence)
            decision[np.arange(rows.start, rows.stop), votes.argmax(axis=1)] += 2 / 3
        return decision

    def decision_cost(self, X: Any) -> Any:
        """What the prediction of each row costs: the same for all; see `DCSVC.decision_cost`."""
        now = snapshot(self)
        X = now._check_rows(X)
        return now.machines_.vote_cost(X.shape[0])

    def _values(self, X: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Decision values of all machines, some rows at a time."""
        machines = self.machines_
        at_once = max(1, min(machines.rows_per_call, VALUES_AT_ONCE // machines.n_machines))
        wave = at_once * n_threads(self.n_jobs)
        for begin in range(0, X.shape[0], wave):
            blocks = [
                slice(start, min(start + at_once, X.shape[0]))
                for start in range(begin, min(begin + wave, X.shape[0]), at_once)
            ]
            values = run_short(
                lambda rows: machines.all_values(
                    machines.prepare(X[rows]), 0, rows.stop - rows.start
                ),
                blocks,
                self.n_jobs,
            )
            yield from zip(blocks, values, strict=True)


def _row_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums along rows, in an order that does not depend on how many rows there are."""
    return np.asarray(np.ascontiguousarray(values).sum(axis=1))
