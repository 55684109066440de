"""Counting the votes of machines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.machines.compiled import Engine
from dcsvm.machines.pairwise import PairwiseMachines


def count_votes(
    values: NDArray[np.float64], pairs: NDArray[np.integer], n_classes: int
) -> NDArray[np.int64]:
    """Votes of shape (n_rows, n_classes).

    A machine votes for the first class of its pair if its value is positive, else for the second.

    Parameters
    ----------
    values : array of shape (n_rows, n_machines)
        Decision values.
    pairs : array of int of shape (n_machines, 2)
        The two classes of every machine.
    n_classes : int
        The number of classes.
    """
    i, j = pairs.T.astype(np.int64)
    winners = np.where(values > 0, i, j)
    winners += n_classes * np.arange(len(values))[:, np.newaxis]
    votes = np.bincount(winners.ravel(), minlength=n_classes * len(values))
    return votes.reshape(-1, n_classes)


def vote_of_machines(machines: PairwiseMachines, X: Any, n_jobs: int | None) -> NDArray[np.int64]:
    """The class with most votes, of equals the first, for each row of X."""
    winner = np.empty(X.shape[0], dtype=np.int64)

    def vote(rows: slice) -> None:
        query, of_rows = machines.prepare(X[rows]), winner[rows]

        def vote_on(engine: Engine, first: int, last: int) -> None:
            engine.vote(query.rows, first, last, machines.n_classes, of_rows[first:last])

        machines.by_runs(query, 0, query.n_rows, vote_on)

    n_jobs = threads_worth(X.shape[0] * machines.work_of_a_vote, n_jobs)
    run_short(vote, even_slices(X.shape[0], machines.rows_per_call, n_jobs), n_jobs)
    return winner
