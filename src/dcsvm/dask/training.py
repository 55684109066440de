"""One task trains all machines between two blocks of classes, and gives back what it has found.

Of the rows only the numbers are given back: support vectors are fetched once, when all are known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm.dask.disk_arrays import read_together
from dcsvm.dask.figures import SharedProblem, pair_scaling
from dcsvm.dask.shuffling import StoredRows
from dcsvm.data.pairs import class_pairs
from dcsvm.data.rows import TrainingRows
from dcsvm.data.some_pairs import SomePairs
from dcsvm.training.common import costs
from dcsvm.training.compiled import row_norms
from dcsvm.training.problems import FitArrays, PairProblems, TrainingParameters
from dcsvm.training.train import train_pairs


class BlockTask(NamedTuple):
    """What a task trains: pairs of the classes of one block, or of those of two."""

    class_start: NDArray[np.int64]  # among all rows, of each class of the task
    pairs: NDArray[np.int64]  # places of classes among those of the task
    machine: NDArray[np.int64]  # their numbers among all machines, in the order of the pairs
    class_weight: NDArray[np.float64]


def block_task(
    classes: NDArray[np.int64],
    is_second: NDArray[np.bool_],
    class_start: NDArray[np.int64],
    class_weight: NDArray[np.float64],
    numbered: Any,
) -> BlockTask:
    """The task for some classes; with a second block, for pairs of one class of each.

    `numbered(i, j)` gives the numbers of machines, negative where there is none.
    """
    pairs = class_pairs(len(classes))
    if is_second.any():
        pairs = pairs[is_second[pairs[:, 0]] != is_second[pairs[:, 1]]]
    machine = np.asarray(numbered(classes[pairs[:, 0]], classes[pairs[:, 1]]), dtype=np.int64)
    trained = machine >= 0
    return BlockTask(
        class_start[classes],
        pairs[trained].astype(np.int64),
        machine[trained],
        class_weight[classes],
    )


def train_blocks(
    blocks: list[StoredRows],
    task: BlockTask,
    shared: SharedProblem,
    parameters: TrainingParameters,
) -> FitArrays:
    """Train the machines of a task; machines and supports have their numbers among all."""
    rows = shared.scaling.rows(_joined(blocks))
    some = SomePairs(rows.n_classes, task.pairs)
    own = pair_scaling(shared, some.of_machine, rows.X)
    C = costs(rows, task.class_weight, shared.C)
    problems = PairProblems(rows, C, shared.kernel, own, some)
    prepared = shared.prepared
    if prepared is not None:
        norms = row_norms(rows.X, prepared.centre, own is not None)
        prepared = prepared._replace(errors=prepared.form.errors(norms))
    found = train_pairs(problems, parameters, prepared).arrays
    of_class = rows.codes(found.support)
    support = task.class_start[of_class] + found.support - rows.class_start[of_class]
    return found._replace(machine=task.machine[found.machine], support=support)


def _joined(blocks: list[StoredRows]) -> TrainingRows:
    start = [0]
    for block in blocks:
        start += (start[-1] + block.class_start[1:]).tolist()
    X = read_together([block.X for block in blocks])
    return TrainingRows(X, read_together([block.weight for block in blocks]), np.array(start))
