"""The form in which values can be tried: the model as a module that the page runs."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.export import ExportError, export
from dcsvm.export.exporting import REALS, Exported
from dcsvm.export.wasm import wasm_module
from dcsvm.report.features import MOST_FEATURES, feature_names, number
from dcsvm.report.subject import Subject

# The largest module, together with the rows from which values can be taken.
MOST_BYTES = 8 * 2**20


def trying(subject: Subject) -> dict[str, Any]:
    """The form about the rows that are followed."""
    return form(subject.model, subject.rows.original, subject.followed)


def form(model: Any, X: Any, rows: NDArray[np.int64]) -> dict[str, Any]:
    """The module, and the features of some rows; or the reason why there is none."""
    try:
        exported = export(model)
        if exported.n_features > MOST_FEATURES:
            raise ExportError(
                f"There are {exported.n_features:,} features, which are too many for a form."
            )
        module = wasm_module(exported)
        values = _numbers(exported, X)
    except ExportError as error:
        return {"reason": str(error)}
    size = len(module) + values[rows].nbytes
    if size > MOST_BYTES:
        return {"reason": f"The model takes {size / 2**20:.0f} MB, which are too many for a page."}
    with np.errstate(all="ignore"):
        known = np.where(np.isfinite(values), values, np.nan)
    return {
        "module": _base64(module),
        "names": exported.feature_names or feature_names(X, None),
        "rows": _base64(values[rows].tobytes()),
        "low": [_bound(c, np.min) for c in known.T],
        "high": [_bound(c, np.max) for c in known.T],
        "whole": [bool((c[~np.isnan(c)] % 1 == 0).all()) for c in known.T],
        "may_miss": bool(np.isnan(values).any()),
    }


def _numbers(exported: Exported, X: Any) -> NDArray[np.floating[Any]]:
    """The rows as the module takes them."""
    if hasattr(X, "columns") and exported.feature_names is not None:
        X = X[exported.feature_names]
    if sparse.issparse(X):
        X = X.toarray()
    try:
        numbers = np.asarray(X, dtype=REALS[exported.real])
    except (TypeError, ValueError):
        raise ExportError("Some features are not numbers.") from None
    return np.ascontiguousarray(numbers)


def _bound(column: NDArray[np.floating[Any]], of: Any) -> float | int:
    known = column[~np.isnan(column)]
    return number(float(of(known))) if len(known) else 0


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
