"""The vote of all machines: counting it, its decision values, and the vote as a route."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.threads import even_slices, run_short, threads_worth
from dcsvm.data.some_pairs import NO_MACHINE
from dcsvm.estimators.decision_values import all_values, squash
from dcsvm.machines.compiled import Engine
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.route import Phase, Round

# Decision values held at a time where every round is shown.
VALUES_AT_ONCE = 2**22


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


def vote_decision(
    machines: PairwiseMachines, X: Any, n_jobs: int | None, winner_first: bool
) -> NDArray[np.float64]:
    """Votes of each class, and how clear they were, of more than two classes.

    To the number of votes comes the sum of the values for the class, mapped into (−1/3, 1/3),
    and with `winner_first` 2/3 for the class that wins, of equals the first.
    """
    k = machines.n_classes
    decision = np.empty((X.shape[0], k))
    i, j = machines.pairs.T
    for rows, values in all_values(machines, X, n_jobs):
        votes = count_votes(values, machines.pairs, k)
        confidence = np.zeros(votes.shape)
        for c in range(k):
            confidence[:, c] = _row_sums(values[:, i == c]) - _row_sums(values[:, j == c])
        decision[rows] = votes + squash(confidence)
        if winner_first:
            decision[np.arange(rows.start, rows.stop), votes.argmax(axis=1)] += 2 / 3
    return decision


def _row_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums along rows, in an order that does not depend on how many rows there are."""
    return np.asarray(np.ascontiguousarray(values).sum(axis=1))


class VoteRoute:
    """The vote of all machines as a way from a row to its class: a `Route`."""

    @property
    def cost(self) -> float:
        """Nothing comes before the first machine."""
        return 0.0

    def of_vector(self, machines: Any) -> Callable[[NDArray[Any]], int] | None:
        """As in Route."""
        return partial(_vote_of_vector, machines) if machines.takes_vectors else None

    def predict(
        self,
        machines: Any,
        X: Any,
        n_jobs: int | None,
        n_evaluated: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """The class with most votes, for every row of X; `n_evaluated` as in Route."""
        if n_evaluated is not None:
            n_evaluated += machines.n_machines
        return vote_of_machines(machines, X, n_jobs)

    def rounds(self, machines: Any, X: Any, n_jobs: int | None) -> Iterator[Round]:
        """The machines one after the other, which drop none, and then the votes."""
        query, k = machines.prepare(X), machines.n_classes
        at_once = max(1, VALUES_AT_ONCE // machines.n_machines)
        for begin in range(0, X.shape[0], at_once):
            rows = np.arange(begin, min(begin + at_once, X.shape[0]))
            values = machines.all_values(query, begin, begin + len(rows))
            every = np.ones((len(rows), k), dtype=bool)
            for m, of_machine in enumerate(values.T):
                machine = np.full(len(rows), m, dtype=np.int32)
                yield Round(rows, machine, of_machine, every, every, Phase.VOTER)
            winner = count_votes(values, machines.pairs, k).argmax(axis=1)
            counted = np.full(len(rows), NO_MACHINE, dtype=np.int32)
            is_winner = np.arange(k) == winner[:, np.newaxis]
            yield Round(rows, counted, np.zeros(len(rows)), every, is_winner, Phase.VOTE)


def _vote_of_vector(machines: PairwiseMachines, x: NDArray[Any]) -> int:
    return int(vote_of_machines(machines, x[np.newaxis], 1)[0])
