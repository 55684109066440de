"""Labels of any sortable type: numbers, strings, dates, categories, from any container."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets


def encode_labels(y: Any, estimator_name: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The sorted classes, and the index of every label among them."""
    if y is None:
        raise ValueError(f"{estimator_name} requires y to be passed, but the target y is None.")
    classes, codes = sorted_labels(checked_labels(y))
    check_several(classes, estimator_name)
    return classes, codes


def checked_labels(y: Any) -> NDArray[Any]:
    """Labels as an array that can be sorted, unless they are of several types."""
    labels = label_vector(y)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
    _check_none_missing(labels)
    return labels


def sorted_labels(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different labels, sorted, and the index of every label among them."""
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in labels})
        raise ValueError(
            f"The labels in y cannot be sorted: they are of the types {', '.join(kinds)}. "
            "Convert them to one type, for instance with y.astype(str)."
        ) from error
    return classes, codes.astype(np.int64, copy=False)


def check_several(classes: NDArray[Any], estimator_name: str) -> None:
    """Refuse fewer than two classes."""
    if len(classes) < 2:
        raise ValueError(
            f"{estimator_name} cannot be fitted when only one class is there: it needs rows of at "
            f"least 2, but y has only one class: {classes.tolist()[0]!r}."
        )


def label_vector(y: Any) -> NDArray[Any]:
    """Labels from any container as an array of a type that NumPy can sort; integers stay such."""
    labels = np.asarray(y)
    if labels.dtype.kind == "T":  # scikit-learn does not know NumPy's own string type
        labels = labels.astype(object)
    labels = np.asarray(column_or_1d(labels, warn=True))
    if labels.dtype.kind == "O" and all(isinstance(label, float) for label in labels.tolist()):
        labels = labels.astype(np.float64)
    return labels


def _check_none_missing(labels: NDArray[Any]) -> None:
    if labels.dtype.kind in "mM":
        missing = np.isnat(labels)
    elif labels.dtype.kind == "O":
        missing = np.array([is_missing(label) for label in labels.tolist()])
    else:
        return
    if missing.any():
        raise ValueError(
            f"y has {missing.sum()} missing labels, the first in row {missing.argmax()}. "
            "Drop these rows or give them a label."
        )


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN, or a missing value of pandas, which may not be installed."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, float) and label != label


def is_text(labels: NDArray[Any]) -> bool:
    """Whether the labels are texts."""
    return labels.dtype.kind in "US" or isinstance(labels[:1].tolist()[0], str | bytes)
