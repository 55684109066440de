"""Ways from a row to its class, on the GPU: rounds of elimination, a decision structure, the vote.

The first two are those of routing/, taken by kernels that give a warp to each row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dcsvm.cuda.answers import Answers, DeviceRoute
from dcsvm.cuda.device import Device, suffix
from dcsvm.cuda.evaluation import DeviceMachines
from dcsvm.cuda.kernel_matrix import ReadyRows
from dcsvm.cuda.rows import LANES
from dcsvm.cuda.voting import VotingRoute
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.elimination.linear import LinearShortlist
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.plausibility import Levels

WARPS_OF_BLOCK = 8
# Queries of more numbers are not copied to shared memory.
MOST_KEPT = 1024
# Fewer rows are not worth an order.
FEWEST_TO_ORDER = 2**14
# Numbers of the scores of rows that are computed at a time.
SCORES_AT_ONCE = 2**28


def route_on(machines: DeviceMachines, route: Any) -> DeviceRoute:
    """The same route on the GPU."""
    if isinstance(route, DagRoute):
        return StructureRoute(machines, route.grower)
    if isinstance(route, Elimination):
        return EliminationRoute(machines, route)
    return VotingRoute(machines)


class EliminationRoute:
    """Rounds of elimination after a shortlist."""

    def __init__(self, machines: DeviceMachines, route: Elimination) -> None:
        self.machines, self.device, self.route = machines, machines.device, route
        self.levels = _levels_on(self.device, route.levels)
        self.n_classes = route.levels.n_classes
        self._linear: tuple[Any, Any] | None = None
        if isinstance(route.shortlist, LinearShortlist):
            self._linear = (
                self.device.array(route.shortlist.weights.T),
                self.device.array(route.shortlist.intercept),
            )

    def rows_at_once(self, n_features: int) -> int:
        """As many as have so many scores and features."""
        numbers = self.n_classes + n_features + self._length
        return max(1, int(min(SCORES_AT_ONCE, self.device.free_bytes() / 64) / numbers))

    @property
    def _length(self) -> int:
        """How many numbers the scores are linear in."""
        return 0 if self._linear is None else int(self._linear[0].shape[0])

    def answers(self, X: Any, of_host: Any, with_decisions: bool) -> Answers:
        """As in DeviceRoute."""
        queries = self.machines.queries(X)
        scores = self._scores(X, of_host, queries)
        return self.eliminate(queries, scores, with_decisions)

    def _scores(self, X: Any, of_host: Any, queries: ReadyRows) -> Any:
        """A score for every class."""
        if self._linear is not None:
            weights, intercept = self._linear
            numbers = self._numbers(X, queries)
            weights = weights.astype(numbers.dtype)
            scores = numbers @ weights + intercept.astype(numbers.dtype)
            return scores.astype(np.float32)
        if of_host is None:
            raise ValueError(
                "The scores of this shortlist are computed on the CPU, and X is on the GPU: pass a "
                "NumPy array, or fit with shortlist='auto' and machines='all'."
            )
        found = self.route.shortlist.scores(of_host, self.machines.machines)
        return self.device.array(found[:, : self.n_classes], np.float32)

    def _numbers(self, X: Any, queries: ReadyRows) -> Any:
        """What the scores of a linear shortlist are linear in."""
        shortlist: Any = self.route.shortlist
        if shortlist.landmarks is not None:
            chosen = self.device.array(shortlist.landmarks)
            machines = self.machines
            landmarks = ReadyRows(machines.vectors, machines.vector_bias).part(chosen)
            return machines.kernel_values(queries, landmarks)
        if shortlist.quadratic:
            q = queries.vectors
            first, second = (self.device.array(n) for n in np.triu_indices(q.shape[1]))
            return self.device.xp.concatenate([q, q[:, first] * q[:, second]], axis=1)
        return X.astype(np.float64)

    def eliminate(self, queries: ReadyRows, scores: Any, with_decisions: bool) -> Answers:
        """Eliminate candidates until one is left."""
        xp, machines, k = self.device.xp, self.machines, self.n_classes
        n, d = queries.vectors.shape
        leaf, n_evaluated = xp.empty(n, dtype=np.int32), xp.empty(n, dtype=np.int32)
        decisions = xp.empty((n, k), dtype=np.float32) if with_decisions else None
        scores = xp.ascontiguousarray(scores)
        order = None
        if n >= FEWEST_TO_ORDER:  # rows that ask the same machines next to each other
            champion = scores.argmax(axis=1)
            small = champion.astype(np.uint16) if k <= np.iinfo(np.uint16).max else champion
            order = xp.argsort(small).astype(np.int32)
        is_kept = d <= MOST_KEPT
        floats = 2 * k if with_decisions else k
        of_warp = -(-floats * 4 // 8) * 8
        of_warp += -(-(d if is_kept else 0) * np.dtype(machines.real).itemsize // 8) * 8
        warps = max(1, min(WARPS_OF_BLOCK, self.device.shared_bytes // of_warp))
        self.device.launch(
            f"eliminate_{suffix(machines.real)}",
            (-(-n // warps),),
            (warps * LANES,),
            *machines.kernel_arguments(),
            *self.levels,
            *queries,
            scores,
            order,
            np.float64(self.route.shortlist.gap),
            np.int64(n),
            np.int32(is_kept),
            leaf,
            n_evaluated,
            decisions,
            shared_bytes=warps * of_warp,
        )
        return Answers(leaf, n_evaluated, decisions)


def _levels_on(device: Device, levels: Any) -> tuple[Any, ...]:
    """What the kernel takes of levels, or of the pairs that have a machine."""
    if isinstance(levels, Levels):
        of_levels = (levels.origin, levels.scale, levels.low, levels.high)
        width = np.int64(levels.low.shape[1])
        return (np.int64(levels.n_classes), width, *map(device.array, of_levels), None, None)
    pairs = levels.pairs
    there = device.array(pairs.start, np.int64), device.array(pairs.partner, np.int32)
    return (np.int64(levels.n_classes), np.int64(0), None, None, None, None, *there)


class StructureRoute:
    """A decision structure, which grows on the host as rows come by."""

    def __init__(self, machines: DeviceMachines, grower: Grower) -> None:
        self.machines, self.device, self.grower = machines, machines.device, grower
        self._known: tuple[Any, tuple[Any, ...]] | None = None

    def rows_at_once(self, n_features: int) -> int:
        """As many as have so many features."""
        numbers = n_features + self.grower.dag.n_classes
        return max(1, int(min(SCORES_AT_ONCE, self.device.free_bytes() / 64) / numbers))

    def answers(self, X: Any, of_host: Any, with_decisions: bool) -> Answers:
        """As in DeviceRoute."""
        xp, grower = self.device.xp, self.grower
        queries, n, k = self.machines.queries(X), len(X), grower.dag.n_classes
        node = xp.full(n, grower.dag.root, dtype=np.int32)
        slot, n_evaluated = xp.empty(n, dtype=np.int64), xp.zeros(n, dtype=np.int32)
        decisions = xp.zeros((n, k)) if with_decisions else None
        waiting = xp.arange(n)
        while len(waiting):
            self._walk(grower, queries, waiting, node, slot, n_evaluated, decisions)
            waiting = waiting[slot[waiting] >= 0]
            missing = self.device.to_host(xp.unique(slot[waiting]))
            if len(missing):
                grower = grower.fork() if grower.is_full else grower
                grower.grow(missing)
        return Answers(node, n_evaluated, decisions)

    def _walk(
        self,
        grower: Grower,
        queries: ReadyRows,
        rows: Any,
        node: Any,
        slot: Any,
        n_evaluated: Any,
        decisions: Any,
    ) -> None:
        machines, n = self.machines, len(rows)
        nodes = self._nodes(grower)
        candidates = n_words = None
        if decisions is not None:
            candidates = self.device.array(grower.dag.candidates)
            n_words = candidates.shape[1]
        self.device.launch_over(
            f"walk_{suffix(machines.real)}",
            n * LANES,
            *machines.kernel_arguments(),
            np.int64(grower.dag.n_classes),
            *nodes,
            *queries,
            rows,
            np.int64(n),
            node,
            slot,
            n_evaluated,
            candidates,
            np.int64(n_words or 0),
            decisions,
        )

    def _nodes(self, grower: Grower) -> tuple[Any, ...]:
        """The structure as it is now, kept until it grows."""
        dag = grower.dag
        if self._known is None or self._known[0] is not dag:
            parts = (dag.machine, dag.first_cut, dag.first_child, dag.cuts, dag.child)
            self._known = (dag, tuple(map(self.device.array, parts)))
        return self._known[1]
