"""Elimination (routing/elimination/rounds.py) of a whole batch, round by round.

All decision values are known before. A round then takes a value of each row, compares its level
with those at which the classes are plausible, and drops the others: operations on matrices of
rows by classes. Rows that have ended are left as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dcsvm._core import CLOSE_VALUE, HIGHEST_LEVEL, MOST_ASIDE, VALUE_IN_VOTES
from dcsvm.data.pairs import class_pairs
from dcsvm.onnx.graph import BOOL, DOUBLE, FLOAT, INT64, Graph
from dcsvm.onnx.machine_values import BatchValues
from dcsvm.routing.elimination.linear import LinearShortlist
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.plausibility import Levels

HIGHEST_SCORE = np.finfo(np.float32).max


class State(NamedTuple):
    """Where the rows are: candidates (n, k), and the meeting of each row (n, 1)."""

    is_in: str
    is_aside: str
    champion: str
    challenger: str
    goes_on: str  # whether there is a challenger


TYPES = [BOOL, BOOL, INT64, INT64, BOOL]


def add_elimination(g: Graph, route: Elimination, batch: BatchValues) -> str:
    """The class of each row, shape (n,)."""
    if not isinstance(route.levels, Levels):
        raise ValueError(
            "A classifier with the machines needed only cannot be written as ONNX: fit with "
            "machines='all'."
        )
    shortlist: Any = route.shortlist
    if not isinstance(shortlist, LinearShortlist):
        raise ValueError(
            f"A shortlist by {shortlist.name} cannot be written as ONNX: fit with "
            "shortlist='auto', or leave it out by rethreshold(shortlist=None)."
        )
    scores = add_scores(g, shortlist, batch)
    rounds = Rounds(g, route.levels, batch.values(), scores)
    state = rounds.first(shortlist.gap)
    # Outside the loop is the first round, which nearly every row needs.
    state = rounds.next(g, state)
    most = route.levels.n_classes - 2
    if most > 0:

        def step(body: Graph, names: list[str]) -> tuple[list[str], str]:
            new = rounds.next(body, State(*names))
            return list(new), body.any(new.goes_on)

        state = State(*g.repeat(state, TYPES, step, g.any(state.goes_on), most))
    return rounds.vote(state)


def add_scores(g: Graph, shortlist: LinearShortlist, batch: BatchValues) -> str:
    """The scores of the classes, shape (n, k), in single precision."""
    if shortlist.landmarks is not None:
        numbers = g.cast(batch.kernel(shortlist.landmarks.astype(np.int64)), DOUBLE)
    elif shortlist.quadratic:
        query = batch.moved_rows
        places = np.triu_indices(batch.machines.pool.shape[1])
        a, b = (g.add("Gather", query, g.constant(place), axis=1) for place in places)
        numbers = g.add("Concat", query, g.add("Mul", a, b), axis=1)
    else:
        numbers = batch.X
    sums = g.add("MatMul", numbers, g.constant(shortlist.weights.T, "score_weights"))
    scores = g.cast(g.add("Add", sums, g.constant(shortlist.intercept)), FLOAT)
    return g.add("Clip", scores, g.constant(-HIGHEST_SCORE), g.constant(HIGHEST_SCORE))


class Rounds:
    """Writes rounds into a graph."""

    def __init__(self, g: Graph, levels: Levels, values: str, scores: str) -> None:
        self.g, self.k = g, levels.n_classes
        self.values, self.scores = values, scores
        self.classes = g.constant(np.arange(self.k), "classes")
        self.origin = g.constant(levels.origin, "origin")
        self.scale = g.constant(levels.scale, "scale")
        self.low = g.constant(levels.low[:, : self.k], "low")
        self.high = g.constant(levels.high[:, : self.k], "high")

    def first(self, gap: float) -> State:
        """The state of rows after their scores."""
        g = self.g
        champion = g.highest(self.scores)
        best = g.add("GatherElements", self.scores, champion, axis=1)
        least = g.add("Sub", best, g.constant(np.float32(gap)))
        is_in = g.add("GreaterOrEqual", self.scores, least)
        nothing = g.without(is_in, is_in)
        return State(is_in, nothing, champion, *self._challenger(g, is_in, nothing, champion))

    def next(self, g: Graph, state: State) -> State:
        """The state of rows after one more round, written into g."""
        low, high, machine = self._machine(g, state.champion, state.challenger)
        value = g.add("GatherElements", self.values, machine, axis=1)
        is_positive = g.add("Greater", value, g.constant(0.0))
        winner = g.add("Where", is_positive, low, high)
        is_loser = g.add("Equal", self.classes, g.add("Where", is_positive, high, low))
        left = g.all_of(state.is_in, *self._plausible(g, machine, value))
        n_aside = g.count(g.all_of(left, state.is_aside))
        set_aside = g.all_of(
            is_loser,
            g.add("Less", g.add("Abs", value), g.constant(CLOSE_VALUE)),
            g.add("Less", n_aside, g.constant(np.float32(MOST_ASIDE))),
            state.goes_on,
        )
        left = g.add("Or", g.without(left, is_loser), set_aside)
        is_in = g.add("Or", g.all_of(left, state.goes_on), g.without(state.is_in, state.goes_on))
        is_aside = g.add("Or", state.is_aside, set_aside)
        champion = g.add("Where", state.goes_on, winner, state.champion)
        return State(is_in, is_aside, champion, *self._challenger(g, is_in, is_aside, champion))

    def vote(self, state: State) -> str:
        """The winner of a vote among those left, shape (n,)."""
        g = self.g
        most = min(MOST_ASIDE + 1, self.k)
        # TopK puts the first of equal numbers first: the classes left, in order.
        voters = g.add_many("TopK", 2, g.cast(state.is_in, FLOAT), g.int64(most), axis=1)
        is_voter = g.add("Greater", voters[0], g.constant(np.float32(0)))
        pairs = class_pairs(most).T.astype(np.int64)
        x, y = (g.add("Gather", voters[1], g.constant(side), axis=1) for side in pairs)
        _, _, machine = self._machine(g, x, y)
        value = g.add("GatherElements", self.values, machine, axis=1)
        takes_part = [g.add("Gather", is_voter, g.constant(side), axis=1) for side in pairs]
        counts = g.cast(g.all_of(*takes_part), DOUBLE)
        wins = g.cast(g.add("Greater", value, g.constant(0.0)), DOUBLE)
        clipped = g.add("Clip", value, g.constant(-1.0), g.constant(1.0))
        of_x, of_y = (np.eye(most)[side] for side in pairs)
        # Votes and values are summed apart: values of −1 and 1 that cancel leave no rounding.
        votes = g.add(
            "Add",
            g.add("MatMul", g.add("Mul", counts, wins), g.constant(of_x - of_y)),
            g.add("MatMul", counts, g.constant(of_y)),
        )
        clear = g.add("MatMul", g.add("Mul", counts, clipped), g.constant(of_x - of_y))
        votes = g.add("Add", votes, g.add("Mul", clear, g.constant(VALUE_IN_VOTES)))
        total = g.add("Where", is_voter, votes, g.constant(-np.inf))
        return g.flat(g.add("GatherElements", voters[1], g.highest(total), axis=1))

    def _plausible(self, g: Graph, machine: str, value: str) -> tuple[str, str]:
        """Where a value is not too low for a class, and where it is not too high."""
        x = g.add("Sub", value, g.add("Gather", self.origin, machine))
        x = g.add("Mul", x, g.add("Gather", self.scale, machine))
        x = g.add("Clip", x, g.constant(0.0), g.constant(float(HIGHEST_LEVEL)))
        level = g.cast(g.add("Ceil", x), FLOAT)
        machine = g.flat(machine)
        low, high = (g.cast(g.add("Gather", of, machine), FLOAT) for of in (self.low, self.high))
        return g.add("LessOrEqual", low, level), g.add("LessOrEqual", level, high)

    def _machine(self, g: Graph, a: str, b: str) -> tuple[str, str, str]:
        """The lower and the higher of two classes, and their machine."""
        low, high = g.add("Min", a, b), g.add("Max", a, b)
        # i (2k − 1 − i) / 2 + j − i − 1; for a class that meets itself, some machine.
        before = g.add("Mul", low, g.add("Sub", g.constant(np.int64(2 * self.k - 1)), low))
        before = g.add("Div", before, g.constant(np.int64(2)))
        within = g.add("Sub", g.add("Sub", high, low), g.constant(np.int64(1)))
        return low, high, g.add("Add", before, within)

    def _challenger(self, g: Graph, is_in: str, is_aside: str, champion: str) -> tuple[str, str]:
        """The candidate that meets the champion, and whether there is one."""
        is_champion = g.add("Equal", self.classes, champion)
        is_open = g.without(g.without(is_in, is_aside), is_champion)
        scores = g.add("Where", is_open, self.scores, g.constant(np.float32(-np.inf)))
        goes_on = g.add("Greater", g.count(is_open), g.constant(np.float32(0)))
        return g.highest(scores), goes_on
