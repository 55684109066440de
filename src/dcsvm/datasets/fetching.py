"""Data sets from scikit-learn: its own copies, or OpenML.

A set from OpenML with another number of rows, features or classes than expected is refused.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import sklearn.datasets

from dcsvm.datasets.sources import Source
from dcsvm.datasets.stored import VARIABLE, without_split


def fetch(source: Source) -> Any:
    """A set that is in no folder, from scikit-learn or from OpenML."""
    if source.bundled is not None:
        bundle = getattr(sklearn.datasets, source.bundled)()
        found = bundle.data, bundle.target.astype(np.int64), list(bundle.feature_names)
        return without_split(source, found, f"sklearn.datasets.{source.bundled}")
    if source.data_id is None:
        raise OSError(
            f"{source.name} is in no folder here, and OpenML does not have it in this form. It is "
            f"from: {source.original}. Put {source.file_name} (columns f0, f1, … and label) into a "
            f"folder, and name the folder in the environment variable {VARIABLE}."
        )
    found = _from_openml(source)
    shape = (*found[0].shape, len(np.unique(found[1])))
    expected = (source.n_rows, source.n_features, source.n_classes)
    if shape != expected:
        raise OSError(
            f"OpenML's data set {source.data_id} is not {source.name} as expected: (rows, "
            f"features, classes) are {shape}, not {expected}. The original is: {source.original}."
        )
    return without_split(source, found, f"OpenML data_id {source.data_id}")


def _from_openml(source: Source) -> tuple[Any, Any, list[str]]:
    try:
        answer = sklearn.datasets.fetch_openml(data_id=source.data_id, as_frame=True, parser="auto")
    except ImportError as error:
        raise ImportError("OpenML needs pandas: pip install 'dcsvm[pandas]'.") from error
    except (OSError, ValueError) as error:
        # URLError and HTTPError are OSErrors; an unknown id is a ValueError.
        raise OSError(
            f"{source.name} is in no folder here, and OpenML (data_id {source.data_id}) gave no "
            f"answer: {error}. When offline, put {source.file_name} into a folder and name that in "
            f"the environment variable {VARIABLE}. The original is: {source.original}."
        ) from error
    columns = {name: _numbers(answer.data[name]) for name in answer.data.columns}
    kept = {name: column for name, column in columns.items() if column is not None}
    # Texts, such as the speaker of a vowel, count as features only where others do not suffice.
    if len(kept) < source.n_features:
        for name in columns.keys() - kept.keys():
            columns[name] = answer.data[name].astype("category").cat.codes.to_numpy(float) + 1
        kept = columns
    data = np.column_stack(list(kept.values()))
    return data, _labels(answer.target), [str(name) for name in kept]


def _numbers(column: Any) -> Any:
    """A column as floats, or None if it holds texts."""
    with suppress(TypeError, ValueError):
        return column.astype(np.float64).to_numpy()
    return None


def _labels(target: Any) -> Any:
    """Labels as integers where all of them are, else as strings."""
    labels = np.asarray(target).astype(str)
    with suppress(ValueError):
        return labels.astype(np.int64)
    return labels
