"""`Explanation`: the rounds in which a row came to its class, as data and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from dcsvm.inspection.fitted import json_label

# If there are more classes, the text names the first ones and counts the others.
MOST_NAMED = 8
# The text has probabilities from here on.
LEAST_SHOWN = 0.001

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
    probabilities : dict or None
        The likeliest classes with their probabilities, the first of which is `label`; None for a
        classifier without probabilities.
    """

    label: Any
    runner_up: Any
    rounds: tuple[ExplainedRound, ...]
    decisions: int
    kernel_evaluations: float | None
    theta: float | None
    probabilities: dict[Any, float] | None = None

    def __str__(self) -> str:
        decisions = "1 decision" if self.decisions == 1 else f"{self.decisions} decisions"
        cost = ""
        if self.kernel_evaluations is not None:
            cost = f", {self.kernel_evaluations:.0f} kernel evaluations"
        head = f"{self.label}, after {decisions}{cost}. Runner-up: {self.runner_up}."
        width = len(str(len(self.rounds)))
        lines = [f"{t:>{width}}. {round_}" for t, round_ in enumerate(self.rounds, start=1)]
        return "\n".join([head + self._likeliest(), *lines])

    def _likeliest(self) -> str:
        """The probabilities in words."""
        if self.probabilities is None:
            return ""
        shown = [
            f"{label} {100 * p:.3g} %"
            for label, p in self.probabilities.items()
            if p >= LEAST_SHOWN or label == self.label
        ]
        return f" Probabilities: {', '.join(shown)}."

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "label": json_label(self.label),
            "runner_up": json_label(self.runner_up),
            "decisions": self.decisions,
            "kernel_evaluations": self.kernel_evaluations,
            "theta": self.theta,
            "probabilities": self.probabilities
            and [
                {"label": json_label(label), "probability": p}
                for label, p in self.probabilities.items()
            ],
            "rounds": [round_.to_dict() for round_ in self.rounds],
        }


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
