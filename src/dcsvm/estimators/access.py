"""What other rooms may reach of fitted estimators beside their public attributes."""

from __future__ import annotations

from typing import Any

from dcsvm.data.rows import RowSample


def route_of(estimator: Any) -> Any:
    """The `Route` by which a fitted estimator gets from a row to its class."""
    return estimator._route


def sample_of(estimator: Any) -> RowSample:
    """The training rows that a fitted estimator keeps."""
    sample: RowSample = estimator._sample
    return sample


def validated_rows(estimator: Any, X: Any) -> Any:
    """X as `predict` of a fitted estimator takes it, after the checks that `predict` makes."""
    return estimator._check_rows(X)
