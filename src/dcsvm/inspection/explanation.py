"""`Explanation`: the rounds in which a row came to its class, as data and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from dcsvm.data.pairs import class_pairs
from dcsvm.estimators.access import route_of
from dcsvm.estimators.prediction import count_round
from dcsvm.estimators.voting import count_votes
from dcsvm.inspection.fitted import FittedClassifier, find_classifier, json_label, one_row
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.splitting import MarginSplitter
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.route import Phase, Round

ROWS_AT_ONCE = 512
# Classes × classes × rows, about as many numbers are held at a time.
CELLS_AT_ONCE = 2**22
# If there are more classes, the text names the first ones and counts the others.
MOST_NAMED = 8

REASONS = {
    "implausible": "the value is implausible for ",
    "side": "too few of their training rows are on this side: ",
}


class Dropped(NamedTuple):
    """A class that was dropped in a round, and why.

    `reason` is one of

    - "score": its score is further `behind` the best than the gap;
    - "untrained": it has no machine with a class that scores higher, and is so far `behind` the
      best;
    - "lost": it is one of the machine's two classes, and the other one won;
    - "implausible": the value is too far from those of its training rows, which are between `low`
      and `high`;
    - "side": only the `share` of its training rows, not more than θ, is on this side;
    - "vote": another class had more votes, or as many with larger values.
    """

    label: Any
    reason: str
    behind: float | None = None
    low: float | None = None
    high: float | None = None
    share: float | None = None

    def why(self) -> str:
        """The reason in words."""
        if self.reason in ("score", "untrained"):
            return f"{self.behind:.3g} behind"
        if self.reason == "implausible":
            return f"training rows {self.low:.3g} to {self.high:.3g}"
        if self.reason == "side":
            return f"{100 * (self.share or 0.0):.3g} %"
        return {"lost": "lost", "vote": "fewer votes"}[self.reason]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without the fields that are None."""
        known = {name: value for name, value in self._asdict().items() if value is not None}
        return {**known, "label": json_label(self.label)}


@dataclass(frozen=True)
class ExplainedRound:
    """One round of a row.

    Attributes
    ----------
    kind : {"scores", "untrained", "machine", "vote"}
        What decided: the scores of the shortlist, the same where a machine was not needed and is
        not trained, a machine, or a vote of the classes left.
    dropped : tuple of Dropped
        The classes dropped.
    left : tuple of classes
        The classes left after the round.
    machine : tuple of two classes, or None
        The machine; its values are positive for the first class.
    value : float or None
        Its decision value.
    winner : class or None
        The class that won the machine's decision, or the vote.
    set_aside : class or None
        The class that lost the machine's decision and was not dropped: `DCSVC` keeps those that
        lose closely, `DivideAndConquerClassifier` all, for the final vote.
    for_vote : bool
        Whether the machine was evaluated for the final vote only.
    gap : float or None
        How far a score may be behind the best.
    votes : dict or None
        The votes of each class in the final vote; the most that it could still have where the
        vote ended as soon as its outcome was known.
    """

    kind: str
    dropped: tuple[Dropped, ...]
    left: tuple[Any, ...]
    machine: tuple[Any, Any] | None = None
    value: float | None = None
    winner: Any = None
    set_aside: Any = None
    for_vote: bool = False
    gap: float | None = None
    votes: dict[Any, int] | None = None

    def __str__(self) -> str:
        if self.kind == "scores":
            return f"Scores: {self._too_far_behind()} {_left(self.left)}"
        if self.kind == "untrained":
            nearest = _with_reasons(sorted(self.dropped, key=lambda d: d.behind or 0.0))
            return f"No machine needed: dropped by their scores: {nearest}. {_left(self.left)}"
        if self.kind == "vote":
            assert self.votes is not None
            counted = ", ".join(f"{label}: {n}" for label, n in self.votes.items())
            return f"Final vote ({counted}): {self.winner} wins."
        assert self.machine is not None
        assert self.value is not None
        first, second = self.machine
        decision = f"{first} vs {second}: value {self.value:+.3g}, {self.winner} wins"
        if self.for_vote:
            return f"{decision} (asked for the final vote)."
        if self.set_aside is not None:
            decision += f"; {self.set_aside} lost, but is set aside and stays in"
        return f"{decision}.{self._dropped()} {_left(self.left)}"

    def _too_far_behind(self) -> str:
        if not self.dropped:
            return "no class is so far behind the best as to be dropped."
        nearest = sorted(self.dropped, key=lambda d: d.behind or 0.0)
        return f"dropped as more than {self.gap:.3g} behind the best: {_with_reasons(nearest)}."

    def _dropped(self) -> str:
        lost = [d for d in self.dropped if d.reason == "lost"]
        others = [d for d in self.dropped if d.reason != "lost"]
        parts = [_with_reasons(lost)] if lost else []
        if others:
            parts.append(REASONS[others[0].reason] + _with_reasons(others))
        return f" Dropped: {'; '.join(parts)}." if parts else ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        votes = self.votes and [
            {"label": json_label(label), "votes": n} for label, n in self.votes.items()
        ]
        return {
            "kind": self.kind,
            "machine": self.machine and [json_label(label) for label in self.machine],
            "value": self.value,
            "winner": None if self.winner is None else json_label(self.winner),
            "dropped": [d.to_dict() for d in self.dropped],
            "left": [json_label(label) for label in self.left],
            "set_aside": None if self.set_aside is None else json_label(self.set_aside),
            "for_vote": self.for_vote,
            "gap": self.gap,
            "votes": votes,
        }


@dataclass(frozen=True)
class Explanation:
    """How a row came to its class; `str()` gives it in words.

    Attributes
    ----------
    label : class
        The class that `predict` returns.
    runner_up : class
        The last of the other classes to be dropped: the second best of `decision_function`.
    rounds : tuple of ExplainedRound
        From all classes to one.
    decisions : int
        The number of machines evaluated.
    kernel_evaluations : float or None
        The cost of the prediction; None for machines that are not support vector machines.
    theta : float or None
        The threshold θ.
    """

    label: Any
    runner_up: Any
    rounds: tuple[ExplainedRound, ...]
    decisions: int
    kernel_evaluations: float | None
    theta: float | None

    def __str__(self) -> str:
        decisions = "1 decision" if self.decisions == 1 else f"{self.decisions} decisions"
        cost = ""
        if self.kernel_evaluations is not None:
            cost = f", {self.kernel_evaluations:.0f} kernel evaluations"
        head = f"{self.label}, after {decisions}{cost}. Runner-up: {self.runner_up}."
        width = len(str(len(self.rounds)))
        lines = [f"{t:>{width}}. {round_}" for t, round_ in enumerate(self.rounds, start=1)]
        return "\n".join([head, *lines])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "label": json_label(self.label),
            "runner_up": json_label(self.runner_up),
            "decisions": self.decisions,
            "kernel_evaluations": self.kernel_evaluations,
            "theta": self.theta,
            "rounds": [round_.to_dict() for round_ in self.rounds],
        }


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
            Explanation(self.labels[c], self.labels[other], tuple(rounds), len(values), work, theta)
            for c, other, rounds, values, work in zip(
                self.outcome, runner_up, self.rounds, self.values, evaluations, strict=True
            )
        ]


def _by_row(at: NDArray[np.int64], items: list[Any], n: int) -> list[tuple[Any, ...]]:
    """Items, each of the row at[t] of n rows in ascending order, as one tuple for each row."""
    ends = np.searchsorted(at, np.arange(1, n)).tolist()
    return [tuple(items[a:b]) for a, b in pairwise([0, *ends, len(items)])]


def _with_reasons(dropped: list[Dropped]) -> str:
    return _named([f"{d.label} ({d.why()})" for d in dropped])


def _named(words: list[str]) -> str:
    if len(words) <= MOST_NAMED:
        return ", ".join(words)
    return f"{', '.join(words[: MOST_NAMED - 1])} and {len(words) - MOST_NAMED + 1} others"


def _left(left: tuple[Any, ...]) -> str:
    if len(left) == 1:
        return f"Only {left[0]} is left."
    return f"{len(left)} left: {_named([str(label) for label in left])}."
