"""The stages of a fit that look at all rows, where the rows are on the GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.cuda.arrays import is_on_gpu, matrix_there, there
from dcsvm.cuda.device import SHARE_OF_FREE, Device
from dcsvm.cuda.prediction import machines_on
from dcsvm.cuda.rows import DeviceRows, canonical_rows_on
from dcsvm.cuda.table import build_table_on
from dcsvm.cuda.training import train_on_gpu
from dcsvm.data.rows import TrainingRows
from dcsvm.data.some_pairs import SomePairs
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.machines.value_statistics import KeptValues, SignBlock
from dcsvm.table.prediction_table import PredictionTable
from dcsvm.training.problems import TrainingParameters


class StagesOnGPU:
    """As `estimators.stages.Stages` has them."""

    def train(
        self,
        rows: TrainingRows,
        class_weight: NDArray[np.float64],
        parameters: TrainingParameters,
        some_pairs: SomePairs | None,
    ) -> PairwiseMachines:
        """Train the machines of all pairs of classes, or of some."""
        assert isinstance(rows, DeviceRows)
        return train_on_gpu(rows, class_weight, parameters, some_pairs)

    def table(
        self,
        machines: PairwiseMachines,
        rows: TrainingRows,
        classes: NDArray[Any],
        n_jobs: int | None,
        want_signs: bool,
        kept: KeptValues,
    ) -> tuple[PredictionTable, list[SignBlock] | None]:
        """Build the table, and keep the values wanted."""
        assert isinstance(rows, DeviceRows)
        on_gpu = machines_on(rows.device, machines)
        return build_table_on(on_gpu, rows, classes, want_signs, kept)

    def in_memory(self, rows: TrainingRows) -> TrainingRows:
        """These rows: those that are asked for come to the host."""
        return rows


def rows_on(
    device: Device, X: Any, codes: Any, weight: NDArray[np.float64] | None, n_classes: int
) -> DeviceRows:
    """Training rows on the GPU, from rows here or there."""
    if sparse.issparse(X):
        X = _dense(device, X)
    matrix = matrix_there(device, X)
    weights = (device.xp.ones(matrix.shape[0]) if weight is None else there(device, weight)).astype(
        np.float64
    )
    of_rows = matrix if is_on_gpu(X) else X
    return canonical_rows_on(device, of_rows, matrix, there(device, codes), weights, n_classes)


def _dense(device: Device, X: Any) -> NDArray[Any]:
    """Sparse rows with all their zeros, if there is room for them on the GPU."""
    needed = X.shape[0] * X.shape[1] * X.dtype.itemsize
    allowed = SHARE_OF_FREE * device.free_bytes() / 2
    if needed > allowed:
        most = int(allowed // (X.shape[1] * X.dtype.itemsize))
        raise MemoryError(
            f"A GPU takes sparse rows with all their zeros: these {X.shape[0]:,} rows of "
            f"{X.shape[1]:,} features are {needed / 1e9:,.1f} GB, and there is room for "
            f"{most:,} of them. Use device='cpu', or fewer features."
        )
    return np.asarray(X.toarray())
