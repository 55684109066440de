"""What a fit is given: the partitions of dask collections, or of a folder of Parquet files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dask import delayed, is_dask_collection
from dcsvm.dask import parquet
from dcsvm.data.labels import checked_labels, sorted_labels

ESTIMATOR = "DaskDCSVC"


class Part(NamedTuple):
    """A partition of the training rows: delayed, or as it is."""

    X: Any
    y: Any
    weight: Any = None


class Source(NamedTuple):
    """The training rows as they are given."""

    parts: list[Part]  # delayed
    X_some: Any  # a row with the names and the types of the features
    dtype: Any  # of the features in training

    @property
    def n_features(self) -> int:
        """The number of columns of X."""
        return int(self.X_some.shape[1])


class LabelCounts(NamedTuple):
    """The labels of a partition."""

    labels: NDArray[Any]
    n_rows: NDArray[np.int64]  # of each label
    n_weighted: NDArray[np.int64]  # of these those of positive weight


def source_of(X: Any, y: Any, weight: Any) -> Source:
    """The partitions of X, y and the weights of the rows."""
    if isinstance(X, str | Path):
        X = parquet.ParquetFolder(Path(X))
    if isinstance(X, parquet.ParquetFolder):
        return _of_folder(X, y, weight)
    if not is_dask_collection(X):
        raise TypeError(
            f"X is a {type(X).__name__}, but {ESTIMATOR} takes a dask array, a dask data frame or "
            "the path of a folder of Parquet files. For rows in memory use DCSVC, or "
            "dask.array.from_array(X, chunks)."
        )
    if y is None:
        raise ValueError(f"{ESTIMATOR} requires y to be passed, but the target y is None.")
    is_frame = hasattr(X, "columns")
    X_some = _frame_of_one_row(X._meta) if is_frame else _array_of_one_row(X)
    if not is_frame and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    columns = [_partitions(X, X), _partitions(y, X)]
    columns.append([None] * len(columns[0]) if weight is None else _partitions(weight, X))
    for name, others in zip(("y", "sample_weight"), columns[1:], strict=True):
        if len(others) != len(columns[0]):
            raise ValueError(
                f"X has {len(columns[0])} partitions and {name} has {len(others)}: make {name} "
                "from the same collection, or repartition it alike."
            )
    parts = [Part(*partition) for partition in zip(*columns, strict=True)]
    return Source(parts, X_some, np.dtype(_training_type(X_some)))


def _partitions(collection: Any, X: Any) -> list[Any]:
    """Those of X, y or the weights, delayed, cut as X is."""
    if not is_dask_collection(collection):
        chunks = getattr(X, "chunks", ((np.nan,),))[0]
        if np.isnan(chunks).any():
            raise TypeError(
                "y and sample_weight must be dask collections, as X is one whose partitions have "
                "unknown lengths."
            )
        given = np.asarray(collection)
        if len(given) != sum(chunks):
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"[{sum(chunks)}, {len(given)}]."
            )
        return [delayed(rows) for rows in np.split(given, np.cumsum(chunks)[:-1])]
    chunks, of_X = getattr(collection, "chunks", None), getattr(X, "chunks", None)
    if chunks is not None and of_X is not None and collection is not X and chunks[0] != of_X[0]:
        known = not (np.isnan(chunks[0]).any() or np.isnan(of_X[0]).any())
        if known and sum(chunks[0]) != sum(of_X[0]):
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"[{sum(of_X[0])}, {sum(chunks[0])}]."
            )
        if known:
            collection = collection.rechunk({0: of_X[0]})
    made = np.ravel(collection.to_delayed())
    if hasattr(collection, "npartitions") and len(made) != collection.npartitions:
        # Files are read together where few of their columns are: not alike for X and y.
        made = np.ravel(collection.to_delayed(optimize_graph=False))
    return list(made)


def _array_of_one_row(X: Any) -> NDArray[Any]:
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got an array of {X.ndim} dimensions instead.")
    return np.zeros((1, int(X.shape[1])), dtype=X.dtype)


def _frame_of_one_row(meta: Any) -> Any:
    import pandas as pd

    _check_numbers({str(name): str(dtype) for name, dtype in meta.dtypes.items()}, meta)
    return pd.DataFrame(
        {name: np.zeros(1, _numpy_type(dtype)) for name, dtype in meta.dtypes.items()}
    )


def _numpy_type(dtype: Any) -> Any:
    return dtype if isinstance(dtype, np.dtype) else getattr(dtype, "numpy_dtype", np.float64)


def _check_numbers(types: dict[str, str], meta: Any) -> None:
    import pandas.api.types as kinds

    others = [
        name
        for name, column in zip(types, meta.dtypes, strict=True)
        if not (kinds.is_numeric_dtype(column) or kinds.is_bool_dtype(column))
    ]
    if others:
        listed = ", ".join(f"{name!r} ({types[name]})" for name in others[:5])
        raise ValueError(
            f"X has columns that are not numbers: {listed}. Encode them first, for instance with "
            "dask_ml's or pandas' get_dummies."
        )


def _training_type(X_some: Any) -> Any:
    """What scikit-learn's checks make of the types of the features."""
    dtypes = [X_some.dtype] if hasattr(X_some, "dtype") else list(X_some.dtypes)
    return np.float32 if np.result_type(*dtypes) == np.float32 else np.float64


def _of_folder(folder: parquet.ParquetFolder, y: Any, weight: Any) -> Source:
    if not isinstance(y, str):
        raise TypeError("With a folder of Parquet files, y is the name of the column of labels.")
    pieces, schema = parquet.row_groups(folder.path)
    for name in filter(None, (y, weight)):
        if name not in schema.names:
            raise ValueError(
                f"{folder.path} has no column {name!r}: it has {', '.join(schema.names)}."
            )
    names = [name for name in schema.names if name not in (y, weight, *folder.left_out)]
    X_some = _frame_of_one_row(schema.empty_table().select(names).to_pandas())
    parts = [
        Part(
            delayed(parquet.read_frame)(piece, names),
            delayed(parquet.read_column)(piece, y),
            None if weight is None else delayed(parquet.read_column)(piece, weight),
        )
        for piece in pieces
    ]
    return Source(parts, X_some, np.dtype(_training_type(X_some)))


def count_labels(part: Part) -> LabelCounts:
    """The labels of a partition without its features."""
    labels, codes = sorted_labels(checked_labels(part.y))
    weighted = codes[weight_of(part) > 0]
    k = len(labels)
    return LabelCounts(labels, np.bincount(codes, minlength=k), np.bincount(weighted, minlength=k))


def total_counts(counts: Iterable[LabelCounts]) -> LabelCounts:
    """The classes of all partitions, sorted."""
    found = [part for part in counts if len(part.labels)]
    if not found:
        raise ValueError(
            f"Found array with 0 sample(s) while a minimum of 1 is required by {ESTIMATOR}."
        )
    labels, codes = sorted_labels(np.concatenate([part.labels for part in found]))
    sums = (
        np.bincount(codes, weights=np.concatenate(numbers), minlength=len(labels)).astype(np.int64)
        for numbers in zip(*(part[1:] for part in found), strict=True)
    )
    return LabelCounts(labels, *sums)


def codes_of(y: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
    """The index of every label among the classes."""
    labels = checked_labels(y)
    codes = np.clip(np.searchsorted(classes, labels), 0, len(classes) - 1).astype(np.int64)
    if len(labels) and not (classes[codes] == labels).all():
        raise ValueError(
            "A partition has other labels than when it was read before: the collection gives other "
            "rows every time. Persist it, or fix its random state."
        )
    return codes


def weight_of(part: Part) -> NDArray[np.float64]:
    """The weights of the rows of a partition."""
    n = len(part.y)
    if part.weight is None:
        return np.ones(n)
    weight = np.asarray(part.weight, dtype=np.float64).reshape(-1)
    if len(weight) != n:
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(n,)}!")
    if not np.isfinite(weight).all():
        raise ValueError("Input sample_weight contains NaN or infinity.")
    return weight
