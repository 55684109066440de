"""The stages of a fit that look at all rows: done here, or where the rows are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dcsvm.data.rows import TrainingRows
from dcsvm.data.some_pairs import SomePairs
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.machines.value_statistics import KeptValues, SignBlock
from dcsvm.probability import left_out
from dcsvm.probability.left_out import LeftOut
from dcsvm.table.building import build_table
from dcsvm.table.prediction_table import PredictionTable
from dcsvm.training.problems import TrainingParameters
from dcsvm.training.train import train_machines


class Stages(Protocol):
    """What is done with all rows. Further stages take some of them, by `TrainingRows.take`."""

    def train(
        self,
        rows: TrainingRows,
        class_weight: NDArray[np.float64],
        parameters: TrainingParameters,
        some_pairs: SomePairs | None,
    ) -> PairwiseMachines:
        """Train the machines of all pairs of classes, or of some."""

    def table(
        self,
        machines: PairwiseMachines,
        rows: TrainingRows,
        classes: NDArray[Any],
        n_jobs: int | None,
        want_signs: bool,
        kept: KeptValues,
    ) -> tuple[PredictionTable, list[SignBlock] | None]:
        """Build the table, and keep the values wanted, see `routing.left_out.keep_values`."""

    def in_memory(self, rows: TrainingRows) -> TrainingRows:
        """These rows, or as many of each class as there is room for here."""


class StagesHere:
    """All rows are in memory."""

    train = staticmethod(train_machines)
    table = staticmethod(build_table)

    def in_memory(self, rows: TrainingRows) -> TrainingRows:
        """All of them."""
        return rows


HERE = StagesHere()


def train_leaving_out(
    stages: Stages,
    rows: TrainingRows,
    class_weight: NDArray[np.float64],
    parameters: TrainingParameters,
    some_pairs: SomePairs | None,
) -> tuple[PairwiseMachines, LeftOut]:
    """The machines, and those of folds that leave out rows.

    Where all rows are here they are trained together, else the folds on the rows in memory.
    """
    if stages is HERE:
        return left_out.train_leaving_out(rows, class_weight, parameters, some_pairs)
    machines = stages.train(rows, class_weight, parameters, some_pairs)
    silent = replace(parameters, on_trained=lambda numbers: None)
    known = stages.in_memory(rows)
    _, found = left_out.train_leaving_out(known, class_weight, silent, some_pairs)
    return machines, found
