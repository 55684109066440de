"""Rules as tables: elimination with a shortlist, a decision structure, or the vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.pairs import class_pairs
from dcsvm.estimators.access import route_of, votes
from dcsvm.export.errors import ExportError
from dcsvm.export.machines import MachineTables, Tables
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.candidate_sets import unpack
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.structure import NOT_GROWN
from dcsvm.routing.elimination.linear import LinearShortlist
from dcsvm.routing.elimination.rounds import Elimination

# A structure with more nodes takes megabytes, and may have far more.
MAX_NODES = 2**16
LANES = 4
WORD = 32  # bits of a word of candidates


@dataclass(frozen=True)
class Rule:
    """How the class follows from the machines; `kind` is "elimination", "structure" or "vote"."""

    kind: str
    kept: NDArray[np.int64]  # the machines that are needed, in order
    most_decisions: int
    shortlist: LinearShortlist | None = None
    route: Any = None
    dag: Any = None


def rule_of(classifier: Any, max_nodes: int = MAX_NODES) -> Rule:
    """The rule of a fitted classifier."""
    machines: PairwiseMachines = classifier.machines_
    k, all_machines = machines.n_classes, np.arange(machines.n_machines)
    if machines.n_machines != k * (k - 1) // 2:
        raise ExportError(
            "Only classifiers with a machine for every pair of classes can be exported."
        )
    if votes(classifier):
        return Rule("vote", all_machines, machines.n_machines)
    route = route_of(classifier)
    if isinstance(route, DagRoute):
        return _structure(route, max_nodes)
    assert isinstance(route, Elimination)
    if not isinstance(route.shortlist, LinearShortlist):
        raise ExportError(
            "A shortlist that is a classifier of another library cannot be exported: fit with "
            "shortlist='auto', or export clf.rethreshold(shortlist=None)."
        )
    # The champion meets each other class at most once, and the last five vote.
    return Rule("elimination", all_machines, k - 1 + 10, route.shortlist, route)


def _structure(route: DagRoute, max_nodes: int) -> Rule:
    """All that the structure can become; a node is there for every set that a row can reach."""
    dag = Grower(route.grower.splitter, max_nodes).grow_all(max_nodes)
    if (dag.child == NOT_GROWN).any():
        raise ExportError(
            f"The decision structure has more than {max_nodes:,} nodes, which are too many for a "
            "table: fit with shortlist='auto' where the kernel is not linear, raise theta, or "
            "export the vote, OneVsOneSVC.from_machines(clf)."
        )
    kept = np.unique(dag.machine[dag.n_classes :])
    return Rule("structure", kept.astype(np.int64), dag.n_classes - 1, dag=dag)


def rule_tables(
    rule: Rule, machines: PairwiseMachines, of_machines: MachineTables, real: type[np.floating[Any]]
) -> tuple[Tables, dict[str, float], str]:
    """Tables and constants of a rule, and the kind of its scores ("" for none)."""
    if rule.kind == "structure":
        return _structure_tables(rule, machines.n_classes), {}, ""
    if rule.kind == "vote":
        return {}, {}, ""
    k, levels, shortlist = machines.n_classes, rule.route.levels, rule.shortlist
    assert shortlist is not None
    weight, intercept, kind = _scores(shortlist, machines, of_machines)
    tables: Tables = {
        "level_origin": levels.origin,
        "level_scale": levels.scale,
        "level_low": levels.low[:, :k],
        "level_high": levels.high[:, :k],
        "score_weight": _padded(weight.T).astype(real),
        "score_intercept": _padded(intercept[np.newaxis])[0].astype(real),
    }
    constants: dict[str, float] = {"SCORE_GAP": float(np.float32(shortlist.gap))}
    if kind == "landmarks":
        assert shortlist.landmarks is not None
        place = of_machines.tables["support_of"].dtype
        tables["landmark"] = of_machines.place_of[shortlist.landmarks].astype(place)
        constants["N_LANDMARKS"] = len(shortlist.landmarks)
    return tables, constants, kind


def _padded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns of classes, filled up to whole vectors of a processor."""
    return np.pad(scores, ((0, 0), (0, -scores.shape[1] % LANES)))


def _scores(
    shortlist: LinearShortlist, machines: PairwiseMachines, of_machines: MachineTables
) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """Weights and intercepts of scores of rows as the machines take them."""
    weights, intercept = shortlist.weights, shortlist.intercept
    if shortlist.landmarks is not None:
        return weights, intercept, "landmarks"
    if shortlist.quadratic:
        return (
            *_of_moved_products(weights, intercept, *_from_query(machines, of_machines)),
            "quadratic",
        )
    intercept = intercept + weights @ of_machines.centre
    return weights * _inverse(of_machines.scale), intercept, "linear"


def _from_query(
    machines: PairwiseMachines, of_machines: MachineTables
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """r and c, where the rows that the scores were fitted to are r · q + c."""
    centre, scale = np.array(machines.engine.centre), np.array(machines.engine.scale)
    return scale * _inverse(of_machines.scale), (of_machines.centre - centre) * scale


def _inverse(scale: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(1.0, scale, out=np.zeros_like(scale), where=scale != 0)


def _of_moved_products(
    weights: NDArray[np.float64],
    intercept: NDArray[np.float64],
    r: NDArray[np.float64],
    c: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Σ w_a z_a + Σ w_ab z_a z_b with z = r q + c, in terms of q."""
    n = len(r)
    a, b = np.triu_indices(n)
    linear, products = weights[:, :n], weights[:, n:]
    moved = linear * r
    for one, other in ((a, b), (b, a)):
        np.add.at(moved.T, one, (products * (r[one] * c[other])).T)
    intercept = intercept + linear @ c + products @ (c[a] * c[b])
    return np.hstack([moved, products * (r[a] * r[b])]), intercept


def _structure_tables(rule: Rule, k: int) -> Tables:
    dag = rule.dag
    inner = slice(k, None)
    number = np.zeros(rule.kept.max() + 1, dtype=np.int64)
    number[rule.kept] = np.arange(len(rule.kept))
    candidates = unpack(dag.candidates[inner], k)
    n_words = -(-k // WORD)
    padded = np.zeros((len(candidates), n_words * WORD), dtype=np.uint8)
    padded[:, :k] = candidates
    words = np.packbits(padded, axis=1, bitorder="little").view("<u4")
    place = np.uint16 if max(dag.n_nodes, len(rule.kept)) <= 2**16 else np.uint32
    tables: Tables = {
        "node_machine": number[dag.machine[inner]].astype(place),
        "node_child": dag.child.astype(place),
        "node_candidates": words,
        "machine_pair": class_pairs(k)[rule.kept].astype(np.uint16),
    }
    if (dag.cuts == 0).all() and len(dag.cuts) == len(candidates):
        return tables
    return {**tables, "node_cut": dag.cuts, "node_first": dag.first_cut[inner].astype(np.uint32)}
