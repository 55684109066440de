"""The All-Predictions table of a fit: built at once, or when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dcsvm._util.computed import computed_once
from dcsvm.data.rows import TrainingRows
from dcsvm.estimators.stages import HERE, Stages
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.machines.value_statistics import SignBlock
from dcsvm.routing.left_out import left_out_tail, values_to_keep
from dcsvm.table.prediction_table import PredictionTable

# Numbers of the rows that may be kept until a table is asked for.
FEW_NUMBERS = 2**18


def may_be_late(rows: TrainingRows) -> bool:
    """Whether these rows are here, and so few that they can be kept instead of their table."""
    return type(rows) is TrainingRows and rows.n_rows * int(rows.X.shape[1]) <= FEW_NUMBERS


def table_and_signs(
    machines: PairwiseMachines,
    rows: TrainingRows,
    classes: NDArray[Any],
    n_jobs: int | None,
    want_signs: bool = False,
    stages: Stages = HERE,
) -> tuple[PredictionTable, list[SignBlock] | None]:
    """The table with all that describes its values, and the signs of all values, if wanted."""
    kept = values_to_keep(rows)
    table, signs = stages.table(machines, rows, classes, n_jobs, want_signs, kept)
    assert table.values is not None
    tail = left_out_tail(rows, kept, table.values, n_jobs)
    table.values = table.values._replace(tail=tail)
    return table, signs


@dataclass(eq=False)
class LateTable:
    """What a table is made of, for a fit that does not need it itself; stored as the table."""

    machines: PairwiseMachines
    rows: TrainingRows
    classes: NDArray[Any]
    n_jobs: int | None

    @computed_once
    def table(self) -> PredictionTable:
        """The table."""
        return table_and_signs(self.machines, self.rows, self.classes, self.n_jobs)[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return as_it_is, (self.table,)


def as_it_is(table: PredictionTable) -> PredictionTable:
    """What a late table is stored as."""
    return table


class TableMixin:
    """The attribute `table_`, where there may be a `LateTable` in its place."""

    @property
    def table_(self) -> PredictionTable:
        """The All-Predictions table."""
        check_is_fitted(self)
        if "table_" not in vars(self):
            raise AttributeError(
                "Only the machines needed are trained, and there is no All-Predictions table: fit "
                "with machines='all'."
            )
        table: PredictionTable | LateTable = vars(self)["table_"]
        return table.table if isinstance(table, LateTable) else table

    @table_.setter
    def table_(self, table: PredictionTable | LateTable) -> None:
        self.__dict__["table_"] = table
