"""The vote of all machines for a whole batch."""

from __future__ import annotations

import numpy as np

from dcsvm.data.pairs import machine_of
from dcsvm.onnx.graph import FLOAT, Graph
from dcsvm.onnx.machine_values import BatchValues


def add_vote(g: Graph, batch: BatchValues) -> str:
    """The class of each row, shape (n,): of equal votes the first class wins."""
    k = batch.machines.n_classes
    is_positive = g.add("Greater", batch.values(), g.constant(0.0))
    row, column = np.indices((k, k))
    machine = machine_of(np.minimum(row, column), np.maximum(row, column), k)
    machine[row == column] = 0
    of_pair = g.add("Gather", is_positive, g.constant(machine.astype(np.int64)), axis=1)
    wins = g.add("Equal", of_pair, g.constant(row < column))
    wins = g.add("And", wins, g.constant(row != column))
    votes = g.add("ReduceSum", g.cast(wins, FLOAT), g.int64(2), keepdims=0)
    return g.flat(g.highest(votes))
