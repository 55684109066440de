"""`Grower`: candidate set → node, on demand.

Only candidate sets that some row has reached have nodes: with many classes, all possible sets
are far too many. Growing makes a new `DecisionDag` that replaces the old one, so that a thread
that reads the old one still has a consistent structure. The content of a node depends on its
candidates alone; its number depends on the order in which rows came.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.routing.candidate_sets import Words, pack
from dcsvm.routing.dag.splitting import Splitter
from dcsvm.routing.dag.structure import NO_MACHINE, NOT_GROWN, DecisionDag

# Some hundreds of megabytes.
MAX_NODES = 2**21


class Grower:
    """A growing `DecisionDag`, safe to use from several threads.

    Parameters
    ----------
    splitter : Splitter
        The rule by which nodes divide their candidates.
    max_nodes : int
        With so many nodes it grows no more; see `fork`.
    """

    def __init__(self, splitter: Splitter, max_nodes: int = MAX_NODES) -> None:
        self.splitter = splitter
        self.max_nodes = max_nodes
        self._renew_lock()
        k = splitter.n_classes
        leaves_and_root = pack(np.vstack([np.eye(k, dtype=bool), np.ones((1, k), dtype=bool)]))
        nothing = DecisionDag(
            n_classes=k,
            machine=np.full(k, NO_MACHINE, dtype=np.int32),
            first_cut=np.zeros(k + 1, dtype=np.int64),
            first_child=np.zeros(k + 1, dtype=np.int64),
            cuts=np.empty(0),
            child=np.empty(0, dtype=np.int32),
            candidates=leaves_and_root[:k],
        )
        self.dag = self._with_nodes(nothing, leaves_and_root[k:], {})
        self._node_of = _numbered(self.dag)

    @property
    def is_full(self) -> bool:
        """Whether it grows no more."""
        return self.dag.n_nodes >= self.max_nodes

    def node_of(self, candidates: Words) -> int | None:
        """The node with these candidates, if it is grown."""
        return self._node_of.get(candidates.tobytes())

    def fork(self) -> Grower:
        """A grower without a bound that starts from this structure, to use for the rows in hand."""
        other = Grower.__new__(Grower)
        dag = self.dag
        vars(other).update(vars(self), dag=dag, max_nodes=sys.maxsize)
        other._renew_lock()
        # It must know the leaves. It may make a node again that is there, which does no harm.
        leaves = _keys(dag.candidates[: dag.n_classes])
        other._node_of = {key: node for node, key in enumerate(leaves)}
        return other

    def grow(self, slots: NDArray[np.int64]) -> DecisionDag:
        """Grow the children that belong at these places of `dag.child`."""
        with self._lock:
            dag = self.dag
            wanted = np.unique(slots)
            wanted = wanted[dag.child[wanted] == NOT_GROWN]
            if len(wanted) == 0:
                return dag
            parents = np.searchsorted(dag.first_child, wanted, side="right") - 1
            candidates = self.splitter.children(
                dag.machine[parents], dag.candidates[parents], wanted - dag.first_child[parents]
            )
            new: dict[bytes, int] = {}
            is_new = np.zeros(len(wanted), dtype=bool)
            grown: dict[int, int] = {}
            for t, (slot, key) in enumerate(zip(wanted.tolist(), _keys(candidates), strict=True)):
                known = self._node_of.get(key)
                if known is None:
                    is_new[t] = key not in new
                    known = new.setdefault(key, dag.n_nodes + len(new))
                grown[slot] = known
            # In this order an interrupt between the two leaves a consistent structure.
            self.dag = self._with_nodes(dag, candidates[is_new], grown)
            self._node_of.update(new)
            return self.dag

    def grow_all(self, max_nodes: int) -> DecisionDag:
        """Grow every child of every node, breadth first, until done or `max_nodes` are there."""
        while self.dag.n_nodes < max_nodes and (self.dag.child == NOT_GROWN).any():
            missing = np.flatnonzero(self.dag.child == NOT_GROWN)
            self.grow(missing[: max_nodes - self.dag.n_nodes])
        return self.dag

    def _with_nodes(self, dag: DecisionDag, new: Words, grown: dict[int, int]) -> DecisionDag:
        """A structure with some children filled in and some inner nodes added."""
        machine = self.splitter.choose(new)
        n_cuts, cuts = self.splitter.cuts(machine, new)
        unknown = np.full(len(cuts) + len(new), NOT_GROWN, dtype=np.int32)
        child = np.concatenate([dag.child, unknown])
        child[list(grown.keys())] = list(grown.values())
        larger = DecisionDag(
            n_classes=dag.n_classes,
            machine=np.concatenate([dag.machine, machine]),
            first_cut=_extend(dag.first_cut, n_cuts),
            first_child=_extend(dag.first_child, n_cuts + 1),
            cuts=np.concatenate([dag.cuts, cuts]),
            child=child,
            candidates=np.concatenate([dag.candidates, new]),
        )
        larger.freeze()
        return larger

    def __getstate__(self) -> dict[str, Any]:
        return {"splitter": self.splitter, "max_nodes": self.max_nodes, "dag": self.dag}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._renew_lock()
        self._node_of = _numbered(self.dag)

    def _renew_lock(self) -> None:
        self._lock = threading.Lock()
        _growers.add(self)


_growers: weakref.WeakSet[Grower] = weakref.WeakSet()


def _renew_locks() -> None:
    """In a process forked while another thread was growing, that thread is no more."""
    for grower in list(_growers):
        grower._renew_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


def _keys(candidates: Words) -> list[bytes]:
    """Sets as something to look up."""
    return [words.tobytes() for words in candidates]


def _numbered(dag: DecisionDag) -> dict[bytes, int]:
    return {key: node for node, key in enumerate(_keys(dag.candidates))}


def _extend(offsets: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([offsets, offsets[-1] + np.cumsum(lengths, dtype=np.int64)])
