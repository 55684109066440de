"""`explain`: the rounds in which rows come to their classes, followed one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from dcsvm.data.pairs import class_pairs
from dcsvm.estimators.access import probabilities_of, route_of
from dcsvm.estimators.prediction import count_round
from dcsvm.estimators.voting import count_votes
from dcsvm.inspection.explanation import Dropped, ExplainedRound, Explanation
from dcsvm.inspection.fitted import FittedClassifier, find_classifier, one_row
from dcsvm.probability.sets import most_probable
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.splitting import MarginSplitter
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.route import Phase, Round

ROWS_AT_ONCE = 512
# Classes × classes × rows, about as many numbers are held at a time.
CELLS_AT_ONCE = 2**22
# So many of the likeliest classes are told.
MOST_LIKELY = 5


def explain(clf: Any, x: Any) -> Explanation:
    """Explain how one row comes to its class.

    ``print`` gives the explanation in words, its method `to_dict` gives it as plain data.

    Parameters
    ----------
    clf : fitted DCSVC, DivideAndConquerClassifier or DAGSVC
        Or a pipeline that ends in one.
    x : array-like of shape (n_features,) or (1, n_features)
        The row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dcsvm import DCSVC
    >>> from dcsvm.inspection import explain
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = DCSVC.paper().fit(X, y)
    >>> found = explain(clf, X[100])
    >>> found.label, found.runner_up, found.decisions
    (2, 1, 2)
    """
    fitted = find_classifier(clf)
    return _Explainer(fitted, fitted.validated_rows(one_row(x))).explanations()[0]


def explanations(clf: Any, X: Any) -> Iterator[Explanation]:
    """Explain every row of X, in order; some hundred are evaluated at a time.

    Parameters
    ----------
    clf : fitted DCSVC, DivideAndConquerClassifier or DAGSVC
        Or a pipeline that ends in one.
    X : array-like of shape (n_samples, n_features)
        The rows.
    """
    fitted = find_classifier(clf)
    rows = fitted.validated_rows(X)  # here, so that errors do not wait for the first `next`
    at_once = max(1, min(ROWS_AT_ONCE, CELLS_AT_ONCE // len(fitted.classifier.classes_) ** 2))
    parts = gen_batches(rows.shape[0], at_once)
    return chain.from_iterable(_Explainer(fitted, rows[part]).explanations() for part in parts)


class _Explainer:
    """Collects the rounds of some validated rows."""

    def __init__(self, fitted: FittedClassifier, X: Any) -> None:
        self.fitted, self.X = fitted, X
        self.clf = fitted.classifier
        self.labels = fitted.labels
        self.pairs = self.clf.machines_.pairs
        n, k = X.shape[0], len(self.labels)
        self.rounds: list[list[ExplainedRound]] = [[] for _ in range(n)]
        self.decision = np.zeros((n, k))
        self.outcome = np.zeros(n, dtype=np.int64)
        self.values: list[dict[int, float]] = [{} for _ in range(n)]  # by machine
        # Orders classes that were dropped in the same round: the loser of the machine comes
        # before those for which the value was implausible, and these are ordered by score.
        self.nearness = np.zeros((n, k))
        self.n_candidates = np.full(n, k)
        route = route_of(self.clf)
        self.counts_losses = isinstance(route, Elimination) and route.counts_losses
        if isinstance(route, Elimination):
            scores = route.shortlist.scores(X, self.clf.machines_)[:, :k].astype(np.float64)
            with np.errstate(invalid="ignore"):
                self.behind = np.nan_to_num(scores.max(axis=1, keepdims=True) - scores)
            self.nearness -= self.behind
            gap = float(route.shortlist.gap)
            self.gap = gap if np.isfinite(gap) else None
            is_margin = getattr(self.clf, "routing", None) == "margin"
            self.by_value = is_margin and not fitted.some_machines
        else:  # a vote drops classes by no value
            is_dag = isinstance(route, DagRoute)
            self.by_value = is_dag and isinstance(route.grower.splitter, MarginSplitter)

    def _add(self, round_: Round) -> None:
        """Add a round to the explanations of its rows."""
        count_round(self.decision, round_)
        self.outcome[round_.rows] = round_.is_in.argmax(axis=1)
        if round_.phase is Phase.SCORES:
            self.n_candidates[round_.rows] = round_.is_in.sum(axis=1)
        at, classes = np.nonzero(round_.is_in)
        left = _by_row(at, [self.labels[c] for c in classes.tolist()], len(round_.rows))
        dropped = self._dropped(round_)
        for t, row in enumerate(round_.rows.tolist()):
            if round_.phase in (Phase.MACHINE, Phase.VOTER):
                details = self._decision(row, round_, t)
            elif round_.phase is Phase.VOTE:
                details = self._vote(row, np.flatnonzero(round_.was_in[t]))
            elif round_.phase is Phase.UNTRAINED:
                details = {"kind": "untrained"}
            else:
                details = {"kind": "scores", "gap": self.gap}
            self.rounds[row].append(ExplainedRound(dropped=dropped[t], left=left[t], **details))

    def _dropped(self, round_: Round) -> list[tuple[Dropped, ...]]:
        """The classes that each row has lost in a round, with their reasons."""
        at, classes = np.nonzero(round_.was_in & ~round_.is_in)
        machine = round_.machine[at]
        table: Any = getattr(self.clf, "table_", None)
        evidence: dict[str, Any] = {}
        lost = np.zeros(len(at), dtype=bool)
        if round_.phase in (Phase.SCORES, Phase.UNTRAINED):
            reason = "score" if round_.phase is Phase.SCORES else "untrained"
            evidence["behind"] = self.behind[round_.rows[at], classes]
        elif round_.phase is Phase.VOTE:
            reason = "vote"
        else:
            side = np.where(round_.values[at] > 0, 0, 1)
            lost = classes == self.pairs[machine, 1 - side]
            reason = "implausible" if self.by_value else "side"
            if self.by_value:
                evidence["low"] = table.values.low[machine, classes]
                evidence["high"] = table.values.high[machine, classes]
            elif table is not None:  # without a table only losers are dropped
                counts = table.counts[machine, classes].astype(np.float64)
                evidence["share"] = counts[np.arange(len(at)), side] / counts.sum(axis=1)
        found = []
        for n, c in enumerate(classes.tolist()):
            numbers = {name: float(column[n]) for name, column in evidence.items()}
            label = self.labels[c]
            found.append(Dropped(label, "lost") if lost[n] else Dropped(label, reason, **numbers))
        return _by_row(at, found, len(round_.rows))

    def _decision(self, row: int, round_: Round, t: int) -> dict[str, Any]:
        """The machine of a round, its value and its winner."""
        machine, value = int(round_.machine[t]), float(round_.values[t])
        i, j = self.pairs[machine].tolist()
        winner, loser = (i, j) if value > 0 else (j, i)
        self.values[row][machine] = value
        self.nearness[row, loser] = np.inf
        for_vote = round_.phase is Phase.VOTER
        return {
            "kind": "machine",
            "machine": (self.labels[i], self.labels[j]),
            "value": value,
            "winner": self.labels[winner],
            "set_aside": self.labels[loser] if round_.is_in[t, loser] and not for_vote else None,
            "for_vote": for_vote,
        }

    def _vote(self, row: int, voters: NDArray[np.int64]) -> dict[str, Any]:
        """The votes among the classes left, and the winner."""
        pairs = class_pairs(len(voters))
        first, second = voters[pairs.T]
        machines = self.clf.machines_.machine_of(first, second)
        if self.counts_losses:
            votes = self._votes_not_lost(row)[voters]
        else:
            known = [t for t, m in enumerate(machines.tolist()) if m in self.values[row]]
            values = np.array([[self.values[row][m] for m in machines[known].tolist()]])
            votes = count_votes(values, pairs[known], len(voters))[0]
        self.nearness[row, voters] = votes
        order = np.argsort(-votes, kind="stable")
        counted = {self.labels[voters[t]]: int(votes[t]) for t in order}
        return {"kind": "vote", "winner": self.labels[self.outcome[row]], "votes": counted}

    def _votes_not_lost(self, row: int) -> NDArray[np.int64]:
        """The votes that each class could still have among the candidates of a row."""
        votes = np.full(len(self.labels), self.n_candidates[row] - 1)
        for machine, value in self.values[row].items():
            votes[self.pairs[machine, 1 if value > 0 else 0]] -= 1
        return votes

    def explanations(self) -> list[Explanation]:
        """Follow all rounds; the explanation of each row."""
        for round_ in self.fitted.rounds(self.X):
            self._add(round_)
        n = len(self.rounds)
        others = self.decision.copy()
        others[np.arange(n), self.outcome] = -np.inf
        last = others == others.max(axis=1, keepdims=True)
        runner_up = np.where(last, self.nearness, -np.inf).argmax(axis=1)
        machines = np.array([m for values in self.values for m in values], dtype=np.int32)
        path_start = np.cumsum([0, *map(len, self.values)], dtype=np.int64)
        cost = self.clf.machines_.path_cost(path_start, machines).get("kernel_evaluations")
        cost_of_scores = float(route_of(self.clf).cost)  # in kernel evaluations
        evaluations = [None] * n if cost is None else (cost + cost_of_scores).tolist()
        theta = self.fitted.theta
        return [
            Explanation(
                *(self.labels[c], self.labels[other], tuple(rounds), len(values), work, theta),
                probabilities=likeliest,
            )
            for c, other, rounds, values, work, likeliest in zip(
                *(self.outcome, runner_up, self.rounds, self.values, evaluations),
                self._likeliest(),
                strict=True,
            )
        ]

    def _likeliest(self) -> list[dict[Any, float]] | list[None]:
        """The likeliest classes of each row, with their probabilities."""
        found = probabilities_of(self.clf, self.X)
        if found is None:
            return [None] * len(self.rounds)
        classes = most_probable(found, MOST_LIKELY)
        shares = np.take_along_axis(found, classes, axis=1)
        return [
            {self.labels[c]: p for c, p in zip(*both, strict=True)}
            for both in zip(classes.tolist(), shares.tolist(), strict=True)
        ]


def _by_row(at: NDArray[np.int64], items: list[Any], n: int) -> list[tuple[Any, ...]]:
    """Items, each of the row at[t] of n rows in ascending order, as one tuple for each row."""
    ends = np.searchsorted(at, np.arange(1, n)).tolist()
    return [tuple(items[a:b]) for a, b in pairwise([0, *ends, len(items)])]
