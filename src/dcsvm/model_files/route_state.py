"""Decision structures and levels of plausibility as plain states, and back."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from dcsvm._core import HIGHEST_LEVEL
from dcsvm._util.batches import slices
from dcsvm.data.pairs import class_pairs, n_pairs
from dcsvm.model_files.fields import Fields, require
from dcsvm.routing.candidate_sets import WORD_BITS, Words, n_words, pack
from dcsvm.routing.dag.criteria import CRITERIA
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.splitting import MarginSplitter, PlattSplitter, SignSplitter, Splitter
from dcsvm.routing.dag.structure import NO_MACHINE, NOT_GROWN, DecisionDag
from dcsvm.routing.plausibility import Levels, padded
from dcsvm.routing.sides import Sides

DAG_ARRAYS = ("machine", "first_cut", "first_child", "cuts", "child", "candidates")
# Edges of a structure that are checked together.
EDGES_AT_ONCE = 2**16


def levels_state(levels: Levels) -> dict[str, Any]:
    """The plain state of levels."""
    return {name: getattr(levels, name) for name in ("origin", "scale", "low", "high")}


def levels_from(fields: Fields, k: int) -> Levels:
    """Levels from their state.

    The core relies on what is checked here: the two classes of a machine are plausible at all
    its levels, and the classes that fill the last panel at none.
    """
    m, width = n_pairs(k), padded(k)
    scale = fields.finite_array("scale", np.float64, (m,))
    require((scale > 0).all(), "levels have no width")
    low = fields.array("low", np.uint8, (m, width))
    high = fields.array("high", np.uint8, (m, width))
    machines = np.arange(m)
    for own in class_pairs(k).T:
        all_levels = (low[machines, own] == 0) & (high[machines, own] == HIGHEST_LEVEL)
        require(all_levels.all(), "a machine's own classes are not at all of its levels")
    no_level = (low[:, k:] == HIGHEST_LEVEL) & (high[:, k:] == 0)
    require(no_level.all(), "levels are given for classes that do not exist")
    return Levels(k, fields.finite_array("origin", np.float64, (m,)), scale, low, high)


def dag_route_state(route: DagRoute) -> dict[str, Any]:
    """The plain state of a decision structure and of the rule by which it grows."""
    grower = route.grower
    dag, splitter = grower.dag, grower.splitter
    state: dict[str, Any] = {
        "dag": {name: getattr(dag, name) for name in DAG_ARRAYS},
        "max_nodes": int(grower.max_nodes),
        "rule": "platt",
    }
    if isinstance(splitter, SignSplitter):
        sides = splitter.sides
        state["rule"] = "sign"
        state["criterion"] = splitter.criterion
        state["sides"] = {n: getattr(sides, n) for n in ("to_i", "to_j", "score", "cost")}
    if isinstance(splitter, MarginSplitter):
        state["rule"] = "margin"
        state["levels"] = levels_state(splitter.levels)
    return state


def dag_route_from(fields: Fields, k: int) -> DagRoute:
    """A decision structure from its state."""
    rule = fields.string("rule", ("platt", "sign", "margin"))
    splitter: Splitter
    if rule == "platt":
        splitter = PlattSplitter(k)
    else:
        sides = _sides_from(fields.part("sides"), k)
        criterion = fields.string("criterion", CRITERIA)
        if rule == "sign":
            splitter = SignSplitter(sides, criterion)
        else:
            levels = levels_from(fields.part("levels"), k)
            splitter = MarginSplitter(levels, sides, criterion)
    grower = Grower(splitter, fields.integer("max_nodes", 1, sys.maxsize))
    dag = _dag_from(fields.part("dag"), k)
    if rule != "margin":
        require((np.diff(dag.first_cut)[k:] == 1).all(), "a node has more than one cut")
    grower.__setstate__({**grower.__getstate__(), "dag": dag})
    return DagRoute(grower)


def _sides_from(fields: Fields, k: int) -> Sides:
    m = n_pairs(k)
    to_i, to_j = (fields.array(name, np.uint64, (m, n_words(k))) for name in ("to_i", "to_j"))
    for sets in (to_i, to_j):
        require(_is_padded(sets, k), "a side holds classes that do not exist")
    cost = fields.finite_array("cost", np.float64, (m,))
    require((cost > 0).all(), "a machine costs nothing")
    return Sides(k, to_i, to_j, fields.finite_array("score", np.float64, (m,)), cost)


def _dag_from(fields: Fields, k: int) -> DecisionDag:
    m = n_pairs(k)
    machine = fields.indices("machine", np.int32, (None,), m, low=NO_MACHINE)
    n = len(machine)
    require(n > k, "the structure has no root")
    cuts = fields.array("cuts", np.float64, (None,))
    child = fields.indices("child", np.int32, (None,), n, low=NOT_GROWN)
    dag = DecisionDag(
        n_classes=k,
        machine=machine,
        first_cut=fields.offsets("first_cut", n, len(cuts)),
        first_child=fields.offsets("first_child", n, len(child)),
        cuts=cuts,
        child=child,
        candidates=fields.array("candidates", np.uint64, (n, n_words(k))),
    )
    _check_nodes(dag)
    _check_edges(dag)
    dag.freeze()
    return dag


def _check_nodes(dag: DecisionDag) -> None:
    k, machine, candidates = dag.n_classes, dag.machine, dag.candidates
    n_cuts, n_children = np.diff(dag.first_cut), np.diff(dag.first_child)
    require((machine[:k] == NO_MACHINE).all(), "a leaf has a machine")
    require((machine[k:] != NO_MACHINE).all(), "a node has no machine")
    require((n_cuts[:k] == 0).all() and (n_children[:k] == 0).all(), "a leaf has children")
    require((n_cuts[k:] >= 1).all(), "a node is not cut")
    require((n_children[k:] == n_cuts[k:] + 1).all(), "a node has not one child more than cuts")
    require(not np.isnan(dag.cuts).any(), "a cut is not a number")
    rises = dag.cuts[1:] >= dag.cuts[:-1]
    rises[dag.first_cut[k + 1 : -1] - 1] = True  # from one node to the next
    require(rises.all(), "the cuts of a node do not rise")
    require(_is_padded(candidates, k), "a node has candidates that do not exist")
    leaves = pack(np.eye(k, dtype=bool))
    require((candidates[:k] == leaves).all(), "a leaf is not its class")
    require((candidates[k] == np.bitwise_or.reduce(leaves)).all(), "the root has not all classes")
    both = leaves[class_pairs(k)[machine[k:]]]  # (n_inner, 2, n_words)
    has_both = (candidates[k:, np.newaxis] & both == both).all()
    require(has_both, "a node has a machine of other classes than its candidates")


def _check_edges(dag: DecisionDag) -> None:
    """Check that children have fewer candidates than their parents, so that every walk ends."""
    parent = np.repeat(np.arange(dag.n_nodes), np.diff(dag.first_child))
    grown = np.flatnonzero(dag.child != NOT_GROWN)
    for part in slices(len(grown), EDGES_AT_ONCE):
        edges = grown[part]
        below, above = dag.candidates[dag.child[edges]], dag.candidates[parent[edges]]
        require((below & ~above == 0).all(), "a node has candidates that its parent has not")
        require((below != above).any(axis=1).all(), "a node has the candidates of its parent")


def _is_padded(sets: Words, k: int) -> bool:
    """Whether all bits beyond the last class are 0."""
    if k % WORD_BITS == 0:
        return True
    return bool((sets[:, -1] >> np.uint64(k % WORD_BITS) == 0).all())
