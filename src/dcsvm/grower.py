"""`Grower`: candidate set → node, on demand.

The structure holds as many nodes as there are candidate sets that some row has met; with
many classes the others are beyond counting. Growing makes a new `DecisionDag` and puts it
in the place of the old one, so that a thread that is reading keeps a structure that holds
together. What a node is depends on its candidates alone; only the number it gets depends
on who came first.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.candidates import n_words, to_words
from dcsvm.dag import NO_MACHINE, NOT_GROWN, DecisionDag
from dcsvm.splitting import Splitter


class Grower:
    """A growing `DecisionDag`, safe to use from several threads.

    Parameters
    ----------
    splitter : Splitter
        The rule by which nodes divide their candidates.
    """

    def __init__(self, splitter: Splitter) -> None:
        self.splitter = splitter
        self._lock = threading.Lock()
        k = splitter.n_classes
        self._node_of = {1 << c: c for c in range(k)}
        self.dag = DecisionDag(
            n_classes=k,
            machine=np.full(k, NO_MACHINE, dtype=np.int32),
            first_cut=np.zeros(k + 1, dtype=np.int64),
            first_child=np.zeros(k + 1, dtype=np.int64),
            cuts=np.empty(0),
            child=np.empty(0, dtype=np.int32),
            candidates=_words([1 << c for c in range(k)], k),
        )
        everyone = (1 << k) - 1
        self.dag = self._with_nodes([everyone], {})
        self._node_of[everyone] = self.dag.root

    def grow(self, slots: NDArray[np.int64]) -> DecisionDag:
        """Grow the children that belong at these places of `dag.child`."""
        with self._lock:
            dag = self.dag
            wanted = np.unique(slots)
            wanted = wanted[dag.child[wanted] == NOT_GROWN]
            if len(wanted) == 0:
                return dag
            new: dict[int, int] = {}
            grown: dict[int, int] = {}
            parents = np.searchsorted(dag.first_child, wanted, side="right") - 1
            for slot, parent in zip(wanted.tolist(), parents.tolist(), strict=True):
                split = self.splitter.divide(int(dag.machine[parent]), dag.candidate_set(parent))
                candidates = split.children[slot - int(dag.first_child[parent])]
                known = self._node_of.get(candidates)
                if known is None:
                    known = new.setdefault(candidates, dag.n_nodes + len(new))
                grown[slot] = known
            # In this order an interrupt between the two leaves a structure that holds together.
            self.dag = self._with_nodes(list(new), grown)
            self._node_of.update(new)
            return self.dag

    def grow_all(self, max_nodes: int) -> DecisionDag:
        """Grow every child of every node, breadth first, until done or `max_nodes` are there."""
        while self.dag.n_nodes < max_nodes:
            missing = np.flatnonzero(self.dag.child == NOT_GROWN)[: max_nodes - self.dag.n_nodes]
            if len(missing) == 0:
                break
            self.grow(missing)
        return self.dag

    def _with_nodes(self, new: list[int], grown: dict[int, int]) -> DecisionDag:
        """The present structure with some children filled in and some inner nodes added."""
        dag = self.dag
        machines = [self.splitter.choose(candidates) for candidates in new]
        splits = [self.splitter.divide(m, s) for m, s in zip(machines, new, strict=True)]
        n_children = [len(split.children) for split in splits]
        child = np.concatenate([dag.child, np.full(sum(n_children), NOT_GROWN, dtype=np.int32)])
        child[list(grown.keys())] = list(grown.values())
        grown_dag = DecisionDag(
            n_classes=dag.n_classes,
            machine=_extend(dag.machine, machines),
            first_cut=_extend_offsets(dag.first_cut, [len(split.cuts) for split in splits]),
            first_child=_extend_offsets(dag.first_child, n_children),
            cuts=_extend(dag.cuts, [cut for split in splits for cut in split.cuts]),
            child=child,
            candidates=np.concatenate([dag.candidates, _words(new, dag.n_classes)]),
        )
        grown_dag.freeze()
        return grown_dag

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {"splitter": self.splitter, "dag": self.dag}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())
        self._node_of = {self.dag.candidate_set(n): n for n in range(self.dag.n_nodes)}


def _words(sets: Iterable[int], n_classes: int) -> NDArray[np.uint64]:
    rows = [to_words(bits, n_words(n_classes)) for bits in sets]
    return np.array(rows, dtype=np.uint64).reshape(len(rows), n_words(n_classes))


def _extend(array: NDArray[Any], new: list[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.array(new, dtype=array.dtype)])


def _extend_offsets(offsets: NDArray[np.int64], lengths: list[int]) -> NDArray[np.int64]:
    return np.concatenate([offsets, offsets[-1] + np.cumsum(lengths, dtype=np.int64)])
