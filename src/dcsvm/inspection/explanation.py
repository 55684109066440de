"""`Explanation`: how a row came to its class, as data and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from dcsvm.inspection.subject import plain

# How many classes the words name before they only count.
MOST_NAMED = 8

REASONS = {
    "implausible": "the value is implausible for ",
    "side": "too few of their training rows are on this side: ",
}


class Dropped(NamedTuple):
    """A class that a step removed, and why.

    `reason` is one of

    - "score": its score is further `behind` the best than the gap;
    - "lost": it lost the decision of its own machine;
    - "implausible": its training rows have values from `low` to `high` on the machine, too far
      from this one;
    - "side": no more than a share θ of its training rows, namely `share`, lies on this side;
    - "vote": others had more votes in the end, or as many of larger values.
    """

    label: Any
    reason: str
    behind: float | None = None
    low: float | None = None
    high: float | None = None
    share: float | None = None

    def why(self) -> str:
        """The reason in words."""
        if self.reason == "score":
            return f"{_number(self.behind)} behind"
        if self.reason == "implausible":
            return f"training rows {_number(self.low)} to {_number(self.high)}"
        if self.reason == "side":
            return f"{100 * (self.share or 0.0):.3g} %"
        return {"lost": "lost", "vote": "fewer votes"}[self.reason]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without what does not apply."""
        found = {name: value for name, value in self._asdict().items() if value is not None}
        return {**found, "label": plain(self.label)}


@dataclass(frozen=True)
class ExplainedStep:
    """One step of a row on its way to a class.

    Attributes
    ----------
    kind : {"scores", "machine", "vote"}
        Whether cheap scores, a machine, or a vote of those left decided.
    machine : tuple of two classes, or None
        The machine asked, which is positive for the first.
    value : float or None
        What it said.
    winner : class or None
        The class that the machine, or the vote, is for.
    dropped : tuple of Dropped
        Who is out, and why.
    left : tuple of classes
        Who is left.
    set_aside : class or None
        The loser, where it was so close that it stays in.
    for_vote : bool
        Whether the machine was asked for the final vote only.
    gap : float or None
        How far scores may be behind the best.
    votes : dict or None
        Votes of each class that took part in the final vote.
    """

    kind: str
    machine: tuple[Any, Any] | None
    value: float | None
    winner: Any
    dropped: tuple[Dropped, ...]
    left: tuple[Any, ...]
    set_aside: Any = None
    for_vote: bool = False
    gap: float | None = None
    votes: dict[Any, int] | None = None

    def __str__(self) -> str:
        if self.kind == "scores":
            return self._scores()
        if self.kind == "vote":
            assert self.votes is not None
            counted = ", ".join(f"{label}: {n}" for label, n in self.votes.items())
            return f"Final vote ({counted}): {self.winner} wins."
        assert self.machine is not None
        assert self.value is not None
        first, second = self.machine
        loser = second if self.winner == first else first
        said = f"{first} vs {second}: value {self.value:+.3g}, {self.winner} wins"
        if self.for_vote:
            return f"{said} (asked for the final vote)."
        if self.set_aside is not None:
            said += f"; {loser} lost so closely that it is set aside and stays in"
        return f"{said}.{self._dropped()} {_left(self.left)}"

    def _scores(self) -> str:
        if not self.dropped:
            return (
                f"Scores: no class is so far behind the best as to be dropped. {_left(self.left)}"
            )
        nearest = sorted(self.dropped, key=lambda d: d.behind or 0.0)
        named = _named([f"{d.label} ({d.why()})" for d in nearest])
        return (
            f"Scores: dropped as more than {_number(self.gap)} behind the best: {named}. "
            f"{_left(self.left)}"
        )

    def _dropped(self) -> str:
        lost = [d for d in self.dropped if d.reason == "lost"]
        others = [d for d in self.dropped if d.reason != "lost"]
        words = f" Dropped: {lost[0].label} (lost)" if lost else ""
        if others:
            words += "; " if lost else " Dropped: "
            words += REASONS[others[0].reason]
            words += _named([f"{d.label} ({d.why()})" for d in others])
        return words + "." if words else ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        votes = None
        if self.votes is not None:
            votes = [{"label": plain(label), "votes": n} for label, n in self.votes.items()]
        return {
            "kind": self.kind,
            "machine": None if self.machine is None else [plain(c) for c in self.machine],
            "value": self.value,
            "winner": plain(self.winner) if self.winner is not None else None,
            "dropped": [d.to_dict() for d in self.dropped],
            "left": [plain(label) for label in self.left],
            "set_aside": plain(self.set_aside) if self.set_aside is not None else None,
            "for_vote": self.for_vote,
            "gap": self.gap,
            "votes": votes,
        }


@dataclass(frozen=True)
class Explanation:
    """How a row came to its class; `str()` tells it in words.

    Attributes
    ----------
    label : class
        What `predict` says.
    runner_up : class
        The last of the others to stay in play, as `decision_function` has it.
    steps : tuple of ExplainedStep
        From all classes to one.
    decisions : int
        Machines asked.
    kernel_evaluations : float or None
        What the answer cost; None for machines that are no support vector machines.
    theta : float or None
        The threshold by which classes were dropped.
    """

    label: Any
    runner_up: Any
    steps: tuple[ExplainedStep, ...]
    decisions: int
    kernel_evaluations: float | None
    theta: float | None

    def __str__(self) -> str:
        decisions = "1 decision" if self.decisions == 1 else f"{self.decisions} decisions"
        cost = ""
        if self.kernel_evaluations is not None:
            cost = f", {self.kernel_evaluations:.0f} kernel evaluations"
        head = f"{self.label}, after {decisions}{cost}. Runner-up: {self.runner_up}."
        width = len(str(len(self.steps)))
        steps = [f"{t:>{width}}. {step}" for t, step in enumerate(self.steps, start=1)]
        return "\n".join([head, *steps])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "label": plain(self.label),
            "runner_up": plain(self.runner_up),
            "decisions": self.decisions,
            "kernel_evaluations": self.kernel_evaluations,
            "theta": self.theta,
            "steps": [step.to_dict() for step in self.steps],
        }


def _named(words: list[str]) -> str:
    if len(words) <= MOST_NAMED:
        return ", ".join(words)
    return f"{', '.join(words[: MOST_NAMED - 1])} and {len(words) - MOST_NAMED + 1} others"


def _left(left: tuple[Any, ...]) -> str:
    if len(left) == 1:
        return f"Only {left[0]} is left."
    return f"{len(left)} left: {_named([str(label) for label in left])}."


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:.3g}"
