"""The step from a table to a decision structure, which another θ can take again."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from dcsvm.dag_prediction import DagPredictionMixin
from dcsvm.grower import Grower
from dcsvm.separators import sides
from dcsvm.splitting import SignSplitter
from dcsvm.table import PredictionTable


class ThresholdMixin(DagPredictionMixin):
    """For estimators whose structure follows from `table_`, `theta` and `criterion`."""

    theta: float
    criterion: str
    table_: PredictionTable

    def rethreshold(self, *, theta: float | None = None, criterion: str | None = None) -> Self:
        """A new fitted classifier with another θ or criterion, over the same machines and table.

        Nothing is trained: only the decision structure is grown anew, as rows come by.
        """
        check_is_fitted(self)
        other: Any = copy(self)
        changes = {"theta": theta, "criterion": criterion}
        other.set_params(**{name: value for name, value in changes.items() if value is not None})
        other._validate_params()
        other._grower = other._new_grower(self.table_)
        return other  # type: ignore[no-any-return]

    def _new_grower(self, table: PredictionTable) -> Grower:
        return Grower(SignSplitter(sides(table, self.theta), self.criterion))
