"""The ways of rows: the steps of those that can be followed, and the tree of all."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.inspection import (
    DecisionStructure,
    ExplainedStep,
    Explanation,
    explanations,
)
from dcsvm.report.features import number

# A page with more nodes would be large: the least visited are left out, and counted.
MOST_NODES = 8000
# Of the classes that scores cut off, those that were nearest are told with their distance.
MOST_NEAR = 20


def explained(classifier: Any, X: Any, labels: list[Any]) -> list[dict[str, Any]]:
    """How each row comes to its class, with classes by their numbers."""
    place = {label: c for c, label in enumerate(labels)}
    return [_explanation(found, place) for found in explanations(classifier, X)]


def _explanation(found: Explanation, place: dict[Any, int]) -> dict[str, Any]:
    evaluations = found.kernel_evaluations
    return {
        "label": place[found.label],
        "second": place[found.runner_up],
        "evaluations": None if evaluations is None else number(evaluations),
        "steps": [_step(step, place) for step in found.steps],
    }


def _step(step: ExplainedStep, place: dict[Any, int]) -> list[Any]:
    """A step as a list, since the names of its parts would be longer than they are.

    - scores: "s", gap, classes left, the nearest of the others, how far these are behind
    - machine: "m", i, j, value, who lost (or None), who is set aside (or None), whether asked for
      the vote only, why others are out (or None), these, one or two numbers for each of them
    - vote: "v", winner, pairs of a class and its votes
    """
    if step.kind == "scores":
        nearest = sorted(step.dropped, key=lambda d: d.behind or 0.0)[:MOST_NEAR]
        return [
            "s",
            None if step.gap is None else number(step.gap, 3),
            [place[c] for c in step.left],
            [place[d.label] for d in nearest],
            [number(d.behind or 0.0, 3) for d in nearest],
        ]
    if step.kind == "vote":
        assert step.votes is not None
        return ["v", place[step.winner], [[place[c], n] for c, n in step.votes.items()]]
    assert step.machine is not None
    assert step.value is not None
    lost = [place[d.label] for d in step.dropped if d.reason == "lost"]
    others = [d for d in step.dropped if d.reason != "lost"]
    evidence = [v for d in others for v in (d.low, d.high, d.share) if v is not None]
    return [
        "m",
        *(place[c] for c in step.machine),
        number(step.value),
        lost[0] if lost else None,
        None if step.set_aside is None else place[step.set_aside],
        int(step.for_vote),
        others[0].reason if others else None,
        [place[d.label] for d in others],
        [number(v, 3) for v in evidence],
    ]


def tree(structure: DecisionStructure, rows: NDArray[np.int64]) -> dict[str, Any]:
    """The nodes that some rows pass, and of the others the most visited.

    Nodes are numbered anew, the root first. `paths` are the nodes of each of the rows.
    """
    paths = [structure.path(row) for row in rows.tolist()]
    nodes = structure.nodes
    kept = dict.fromkeys(node for path in paths for node in path)
    kept[0] = None
    hottest = sorted(range(len(nodes)), key=lambda n: -nodes[n].rows)
    # A parent is visited at least as often as its children, and comes first.
    kept.update(dict.fromkeys(hottest[: max(0, MOST_NODES - len(kept))]))
    order = sorted(kept)
    new = {node: t for t, node in enumerate(order)}
    return {
        "is_dag": structure.is_dag,
        "n_all": len(nodes),
        "nodes": [_node(structure, node, new) for node in order],
        "paths": [[new[node] for node in path] for path in paths],
    }


def _node(structure: DecisionStructure, number_of: int, new: dict[int, int]) -> list[Any]:
    """Kind, pair, classes as bits, mean left, rows, purity, balance, score, ways, and the rest.

    A way is: the node, the winner, rows, and between which values; the rest: how many ways and
    rows are not shown.
    """
    node = structure.nodes[number_of]
    is_in = np.zeros(len(structure.labels), dtype=bool)
    is_in[list(node.classes)] = True
    bits = base64.b64encode(np.packbits(is_in, bitorder="little").tobytes()).decode()
    shown = [way for way in node.ways if way.target in new]
    ways = [
        [new[w.target], w.winner, _weight(w.rows), _finite(w.low), _finite(w.high)] for w in shown
    ]
    hidden = [len(node.ways) - len(shown), sum(w.rows for w in node.ways if w.target not in new)]
    score = None if node.score is None else number(node.score, 4)
    return [
        node.kind,
        None if node.machine is None else list(node.machine),
        bits,
        number(node.mean_left, 3),
        _weight(node.rows),
        node.purity,
        node.balance,
        score,
        ways,
        [hidden[0], _weight(hidden[1])],
    ]


def _weight(rows: float) -> float | int:
    return number(float(rows))


def _finite(value: float | None) -> float | int | None:
    return None if value is None or not np.isfinite(value) else number(value, 3)
