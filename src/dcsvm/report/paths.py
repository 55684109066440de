"""The paths of rows: the rounds of those that can be followed, and the tree of all."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, get_tags

from dcsvm.estimators.access import route_of
from dcsvm.inspection import (
    DecisionStructure,
    ExplainedRound,
    Explanation,
    decision_structure,
    explanations,
)
from dcsvm.report.features import feature_values, number
from dcsvm.report.rows import UNLABELLED
from dcsvm.report.subject import Subject
from dcsvm.routing.dag.route import DagRoute

# If there are more nodes, those that the fewest rows pass are left out and counted.
MOST_NODES = 8000
# If the scores drop more classes, those nearest to the best score are listed.
MOST_NEAR = 20


def paths(subject: Subject) -> dict[str, Any]:
    """The rows whose paths are shown one by one, and the decision structure if there is one."""
    clf, rows, chosen = subject.classifier, subject.rows, subject.followed
    predicted = subject.ours.predicted
    truth, n_wrong = None, None
    if rows.truth is not None:
        truth = rows.truth[chosen].tolist()
        n_wrong = int(((rows.truth != predicted) & (rows.truth != UNLABELLED)).sum())
    inputs = _safe_indexing(rows.inputs, chosen)
    return {
        "rows": {
            "place": rows.place[chosen].tolist(),
            "truth": truth,
            "predicted": predicted[chosen].tolist(),
            "explained": explained(clf, inputs, subject.fitted.labels),
            "n_wrong": n_wrong,
        },
        "features": _features(subject),
        "tree": _structure(subject),
    }


def _structure(subject: Subject) -> dict[str, Any] | None:
    """The decision structure; with a shortlist there is none, as each row has its own path."""
    if not isinstance(route_of(subject.classifier), DagRoute):
        return None
    return tree(decision_structure(subject.classifier, X=subject.rows.inputs), subject.followed)


def _features(subject: Subject) -> dict[str, Any] | None:
    """The features of the rows that are followed; a kernel matrix has none."""
    clf, before = subject.classifier, subject.fitted.preprocessing
    if get_tags(clf).input_tags.pairwise:
        return None
    names = getattr(clf if before is None else before, "feature_names_in_", None)
    return feature_values(subject.rows.original, subject.followed, names)


def explained(classifier: Any, X: Any, labels: list[Any]) -> list[dict[str, Any]]:
    """The explanation of each row, with classes as indices."""
    index = {label: c for c, label in enumerate(labels)}
    return [_explanation(found, index) for found in explanations(classifier, X)]


def _explanation(found: Explanation, index: dict[Any, int]) -> dict[str, Any]:
    evaluations = found.kernel_evaluations
    return {
        "label": index[found.label],
        "second": index[found.runner_up],
        "evaluations": None if evaluations is None else number(evaluations),
        "rounds": [_round(round_, index) for round_ in found.rounds],
    }


def _round(round_: ExplainedRound, index: dict[Any, int]) -> list[Any]:
    """A round as a list; objects with named fields would make the page several times as large.

    - scores: "s", gap, classes left, the nearest of those dropped, how far these are behind
    - machine: "m", i, j, value, the loser if dropped, the loser if set aside, whether for the
      vote only, the reason why others are dropped, these others, one or two numbers for each
    - vote: "v", winner, pairs of a class and its votes
    """
    if round_.kind == "scores":
        nearest = sorted(round_.dropped, key=lambda d: d.behind or 0.0)[:MOST_NEAR]
        return [
            "s",
            None if round_.gap is None else number(round_.gap, 3),
            [index[c] for c in round_.left],
            [index[d.label] for d in nearest],
            [number(d.behind or 0.0, 3) for d in nearest],
        ]
    if round_.kind == "vote":
        assert round_.votes is not None
        return ["v", index[round_.winner], [[index[c], n] for c, n in round_.votes.items()]]
    assert round_.machine is not None
    assert round_.value is not None
    lost = [index[d.label] for d in round_.dropped if d.reason == "lost"]
    others = [d for d in round_.dropped if d.reason != "lost"]
    evidence = [v for d in others for v in (d.low, d.high, d.share) if v is not None]
    return [
        "m",
        *(index[c] for c in round_.machine),
        number(round_.value),
        lost[0] if lost else None,
        None if round_.set_aside is None else index[round_.set_aside],
        int(round_.for_vote),
        others[0].reason if others else None,
        [index[d.label] for d in others],
        [number(v, 3) for v in evidence],
    ]


def tree(structure: DecisionStructure, rows: NDArray[np.int64]) -> dict[str, Any]:
    """The nodes that some rows pass, and of the others those that most rows pass.

    Nodes are numbered anew, the root first. `paths` are the nodes of each of these rows.
    """
    paths = [structure.path(row) for row in rows.tolist()]
    nodes = structure.nodes
    kept = dict.fromkeys(node for path in paths for node in path)
    kept[0] = None
    most_frequent = sorted(range(len(nodes)), key=lambda n: -nodes[n].rows)
    # At least as many rows pass a parent as its children, and it comes first.
    kept.update(dict.fromkeys(most_frequent[: max(0, MOST_NODES - len(kept))]))
    order = sorted(kept)
    new = {node: t for t, node in enumerate(order)}
    return {
        "n_all": len(nodes),
        "nodes": [_node(structure, node, new) for node in order],
        "paths": [[new[node] for node in path] for path in paths],
    }


def _node(structure: DecisionStructure, n: int, new: dict[int, int]) -> list[Any]:
    """A node as a list.

    Kind, machine, classes as bits, mean number of classes left, rows, purity, balance, score,
    edges, and how many children and rows are not shown. An edge is the child, the winner, rows,
    and the interval of values.
    """
    node = structure.nodes[n]
    is_in = np.zeros(len(structure.labels), dtype=bool)
    is_in[list(node.classes)] = True
    bits = base64.b64encode(np.packbits(is_in, bitorder="little").tobytes()).decode()
    shown = [edge for edge in node.edges if edge.target in new]
    edges = [
        [new[e.target], e.winner, number(e.rows), _finite(e.low), _finite(e.high)] for e in shown
    ]
    hidden_rows = sum(e.rows for e in node.edges if e.target not in new)
    return [
        node.kind,
        None if node.machine is None else list(node.machine),
        bits,
        number(node.mean_left, 3),
        number(node.rows),
        node.purity,
        node.balance,
        None if node.score is None else number(node.score, 4),
        edges,
        [len(node.edges) - len(shown), number(hidden_rows)],
    ]


def _finite(value: float | None) -> float | int | None:
    return None if value is None or not np.isfinite(value) else number(value, 3)
