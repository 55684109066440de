"""The step from a table to a way of asking, which another θ can take again."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from dcsvm.rounds import Route
from dcsvm.routed_prediction import RoutedPredictionMixin
from dcsvm.table import PredictionTable


class ThresholdMixin(RoutedPredictionMixin):
    """For estimators whose route follows from `table_` and some of their parameters."""

    table_: PredictionTable

    def _rethreshold(self, **changes: Any) -> Self:
        check_is_fitted(self)
        other: Any = copy(self)
        other.set_params(**changes)
        other._validate_params()
        other._route = other._new_route(self.table_)
        return other  # type: ignore[no-any-return]

    @abstractmethod
    def _new_route(self, table: PredictionTable) -> Route:
        """The route by the parameters as they are."""
