"""Estimators of scikit-learn and skrub that came from a file."""

from __future__ import annotations

from typing import Any

from dcsvm.persistence.fields import require


def check_foreign(estimator: Any) -> Any:
    """Look at what compiled code of other libraries would take on trust."""
    require(hasattr(estimator, "get_params"), "a step is no estimator")
    return estimator
