"""Prediction partition by partition, lazily; each worker gets the model once."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from dask.base import tokenize
from numpy.typing import NDArray

import dask
from dask import delayed, is_dask_collection
from dcsvm.dask.partitions import ESTIMATOR, Part, weight_of
from dcsvm.data.labels import checked_labels


class Output(NamedTuple):
    """What a method of the classifier gives for every row."""

    method: str
    example: NDArray[Any]  # of one row
    columns: Sequence[Any] | None = None  # of what has several numbers for each row

    @property
    def empty(self) -> NDArray[Any]:
        """That of no rows."""
        return self.example[:0]


def model_on(client: Any, local: Any) -> Any:
    """The model as a delayed value that every worker gets once, from another one that has it.

    With a client it is the result of a task, which the scheduler repeats where all workers that
    had it are gone.
    """
    model = copy(local).set_params(n_jobs=1)  # workers run a task in every thread
    if client is None:
        return delayed(model, name=f"dcsvm-model-{tokenize(id(local))}", traverse=False)
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        return client.submit(as_it_is, model, pure=False)


def as_it_is(model: Any) -> Any:
    """A model as the result of a task."""
    return model


def predicted(X: Any, model: Any, output: Output) -> Any:
    """A dask collection like X with what `output` says of each row."""
    if not is_dask_collection(X):
        raise TypeError(
            f"X is a {type(X).__name__}, but {ESTIMATOR} predicts dask arrays and dask data "
            "frames. For rows in memory use to_local()."
        )
    if hasattr(X, "columns"):
        meta = _framed(output.example, [0], output).iloc[:0]
        return X.map_partitions(of_frame, model, output, meta=meta)
    X = X.rechunk({1: -1})
    width = output.example.shape[1:]
    return X.map_blocks(
        of_array,
        model,
        output,
        dtype=output.example.dtype,
        chunks=(X.chunks[0], *((n,) for n in width)),
        drop_axis=None if width else [1],
        meta=output.empty,
    )


def of_array(X: Any, model: Any, output: Output) -> NDArray[Any]:
    """What is predicted for the rows of a block, of which there may be none."""
    if X.shape[0] == 0:
        return output.empty
    found = getattr(model, output.method)(X)
    dtype = output.example.dtype
    if dtype.names is None:
        return np.asarray(found, dtype=dtype)
    rows = np.empty(len(X), dtype)
    for name, column in zip(dtype.names, found, strict=True):
        rows[name] = column
    return rows


def of_frame(X: Any, model: Any, output: Output) -> Any:
    """The same as a series or a frame with the index of X."""
    return _framed(of_array(X, model, output), X.index, output)


def _framed(found: NDArray[Any], index: Any, output: Output) -> Any:
    import pandas as pd

    names = output.example.dtype.names
    if names is not None:
        return pd.DataFrame({name: found[name] for name in names}, index=index)
    if output.columns is None:
        return pd.Series(found, index=index, name="label" if output.method == "predict" else None)
    return pd.DataFrame(found, index=index, columns=list(output.columns))


def right_weight(model: Any, part: Part) -> NDArray[np.float64]:
    """The weight of the rows of a partition that get the right label, and of all."""
    labels, weight = checked_labels(part.y), weight_of(part)
    if len(labels) == 0:
        return np.zeros(2)
    return np.array([weight @ (model.predict(part.X) == labels), weight.sum()])
