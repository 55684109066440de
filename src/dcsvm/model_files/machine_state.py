"""Machines, their table, and the rows kept with them as plain states, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm.data.kept_rows import KeptRows
from dcsvm.data.kernels import BUILT_IN, Kernel
from dcsvm.data.pairs import n_pairs
from dcsvm.data.rows import RowSample
from dcsvm.data.scaling import Standardisation
from dcsvm.data.some_pairs import SomePairs
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.model_files.fields import HIGHEST_INT, Fields, ModelFileError, require
from dcsvm.table.prediction_table import PredictionTable, TableValues, Tail

FLOATS = (np.float64, np.float32)
# Counts are kept in the narrowest type that holds them.
COUNTS = (*FLOATS, np.uint8, np.uint16, np.uint32, np.uint64, np.int64)
NUMBERS = (*COUNTS, np.float16, np.int8, np.int16, np.int32, np.bool_)
HIGHEST_DEGREE = 2**31 - 1  # the core counts in 32 bits


def machines_state(machines: PairwiseMachines) -> dict[str, Any]:
    """The plain state of machines."""
    kernel = machines.kernel
    if kernel.function is not None:
        raise ModelFileError(
            "The kernel is a function, and a model file holds no code: fit with a built-in or a "
            "precomputed kernel, or pickle the model for your own use."
        )
    names = ("start", "index", "coef", "intercept", "n_iter", "converged")
    return {
        "kernel": {
            "name": kernel.name,
            "gamma": float(kernel.gamma),
            "degree": int(kernel.degree),
            "coef0": float(kernel.coef0),
        },
        "pool": matrix_state(machines.pool),
        **{name: getattr(machines, name) for name in names},
        "pairs": None if machines.some_pairs is None else machines.some_pairs.of_machine,
        "origin": machines.origin,
        "shared_scaling": _scaling_state(machines.shared_scaling),
        "pair_scaling": _scaling_state(machines.pair_scaling),
    }


def machines_from(fields: Fields, n_classes: int, n_features: int) -> PairwiseMachines:
    """Machines from their state, all indices checked."""
    kernel = _kernel_from(fields.part("kernel"))
    some_pairs = _some_pairs_from(fields, n_classes)
    n_machines = n_pairs(n_classes) if some_pairs is None else len(some_pairs)
    if kernel.name == "precomputed":
        pool: Any = fields.indices("pool", np.int64, (None,), n_features)
    else:
        pool = matrix_from(fields, "pool", n_features, FLOATS)
        finite = np.isfinite(pool.data if sparse.issparse(pool) else pool).all()
        require(finite, f"{fields.name_of('pool')} has numbers that are not finite")
    coef = fields.finite_array("coef", np.float64, (None,))
    start = fields.offsets("start", n_machines, len(coef))
    require((np.diff(start) > 0).all(), "a machine has no support vectors")
    width = 0 if kernel.name == "precomputed" else n_features
    return PairwiseMachines(
        n_classes=n_classes,
        some_pairs=some_pairs,
        kernel=kernel,
        pool=pool,
        start=start,
        index=fields.indices("index", np.int32, (len(coef),), pool.shape[0]),
        coef=coef,
        intercept=fields.finite_array("intercept", np.float64, (n_machines,)),
        n_iter=fields.array("n_iter", np.int64, (n_machines,)),
        converged=fields.array("converged", np.bool_, (n_machines,)),
        origin=_origin_from(fields, pool.shape[0]),
        shared_scaling=_scaling_from(fields.optional_part("shared_scaling"), 1, width),
        pair_scaling=_scaling_from(fields.optional_part("pair_scaling"), n_machines, width),
    )


def _origin_from(fields: Fields, n_support: int) -> NDArray[np.int64] | None:
    if fields.raw("origin") is None:
        return None
    return fields.indices("origin", np.int64, (n_support,), HIGHEST_INT)


def _some_pairs_from(fields: Fields, n_classes: int) -> SomePairs | None:
    if fields.raw("pairs") is None:
        return None
    pairs = fields.indices("pairs", np.int32, (None, 2), n_classes)
    require(len(pairs) and (pairs[:, 0] < pairs[:, 1]).all(), "a machine has not two classes")
    some_pairs = SomePairs(n_classes, pairs)
    require(np.array_equal(some_pairs.of_machine, pairs), "the machines are not in order")
    return some_pairs


def _kernel_from(fields: Fields) -> Kernel:
    return Kernel(
        fields.string("name", (*BUILT_IN, "precomputed")),
        fields.finite("gamma", 0.0),
        fields.integer("degree", 0, HIGHEST_DEGREE),
        fields.finite("coef0"),
    )


def matrix_state(X: Any) -> Any:
    """A dense array as it is, a sparse matrix as its three arrays."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X)
    X = X.tocsr()
    names = ("data", "indices", "indptr")
    return {**{name: getattr(X, name) for name in names}, "is_array": isinstance(X, sparse.sparray)}


def matrix_from(fields: Fields, key: str, n_features: int, dtypes: tuple[Any, ...]) -> Any:
    """A matrix with so many columns, of one of the types."""
    if not isinstance(fields.raw(key), dict):
        return fields.array(key, dtypes, (None, n_features))
    parts = fields.part(key)
    data = parts.array("data", dtypes, (None,))
    width = np.int64 if getattr(parts.raw("indices"), "dtype", None) == np.int64 else np.int32
    indices = parts.indices("indices", width, (len(data),), n_features)
    indptr = parts.array("indptr", (np.int32, np.int64), (None,))
    rises = len(indptr) and indptr[0] == 0 and indptr[-1] == len(data)
    require(rises and (indptr[1:] >= indptr[:-1]).all(), f"{fields.name_of(key)} is no matrix")
    make = sparse.csr_array if parts.boolean("is_array") else sparse.csr_matrix
    return make((data, indices, indptr), shape=(len(indptr) - 1, n_features))


def sample_state(sample: RowSample) -> dict[str, Any]:
    """The plain state of the rows that are kept."""
    return {
        "X": matrix_state(sample.X),
        "codes": sample.codes,
        "weight": sample.weight,
        "n_rows": int(sample.n_rows),
    }


def sample_from(fields: Fields, k: int, n_features: int) -> RowSample:
    """The rows that are kept, NaN included where a classifier takes it."""
    X = matrix_from(fields, "X", n_features, NUMBERS)
    n = X.shape[0]
    weight = fields.finite_array("weight", np.float64, (n,))
    require((weight >= 0).all(), "a row has a negative weight")
    codes = fields.indices("codes", np.int64, (n,), k)
    return RowSample(X, codes, weight, fields.integer("n_rows", n))


def kept_state(kept: KeptRows) -> dict[str, Any]:
    """The plain state of rows kept of a stream."""
    names = ("codes", "weight", "n_seen")
    return {"X": matrix_state(kept.X), **{name: getattr(kept, name) for name in names}}


def kept_from(fields: Fields, k: int, n_features: int) -> KeptRows:
    """Rows kept of a stream, one of every class at least."""
    X = matrix_from(fields, "X", n_features, NUMBERS)
    n = X.shape[0]
    codes = fields.indices("codes", np.int64, (n,), k)
    weight = fields.finite_array("weight", np.float64, (n,))
    n_seen = fields.array("n_seen", np.int64, (k,))
    n_kept = np.bincount(codes, minlength=k)
    require((weight > 0).all(), "a row that is kept has no weight")
    require((n_kept > 0).all() and (n_seen >= n_kept).all(), "a class has no rows")
    return KeptRows(X, codes, weight, n_seen)


def _scaling_state(scaling: Standardisation | None) -> dict[str, Any] | None:
    if scaling is None:
        return None
    return {"centre": scaling.centre, "inverse_scale": scaling.inverse_scale}


def _scaling_from(fields: Fields | None, n: int, n_features: int) -> Standardisation | None:
    if fields is None:
        return None
    shape = (n, n_features)
    return Standardisation(
        fields.finite_array("centre", np.float64, shape),
        fields.finite_array("inverse_scale", np.float64, shape),
    )


def table_state(table: PredictionTable) -> dict[str, Any]:
    """The plain state of a table, but for the classes."""
    return {
        "counts": table.counts,
        "values": None if table.values is None else _values_state(table.values),
    }


def table_from(fields: Fields, classes: NDArray[Any]) -> PredictionTable:
    """A table from its state."""
    k, m = len(classes), n_pairs(len(classes))
    counts = fields.finite_array("counts", COUNTS, (m, k, 2))
    return PredictionTable(classes, counts, _values_from(fields.optional_part("values"), m, k))


def _values_state(values: TableValues) -> dict[str, Any]:
    tail = None if values.tail is None else values.tail._asdict()
    return {**values._asdict(), "tail": tail}


def _values_from(fields: Fields | None, m: int, k: int) -> TableValues | None:
    if fields is None:
        return None
    low, high, spread = (fields.array(n, np.float16, (m, k)) for n in ("low", "high", "spread"))
    for numbers in (low, high, spread):
        require(not np.isnan(numbers).any(), "a range of decision values is not a number")
    n_rows = fields.array("n_rows", np.int64, (k,))
    require((n_rows >= 1).all(), "a class has no rows")
    return TableValues(low, high, spread, n_rows, _tail_from(fields.optional_part("tail")))


def _tail_from(fields: Fields | None) -> Tail | None:
    if fields is None:
        return None
    share = fields.finite_array("share", np.float64, (None,))
    reach = fields.finite_array("reach", np.float64, (len(share),))
    falls = len(share) > 0 and share[0] <= 1 and share[-1] > 0 and (np.diff(share) < 0).all()
    require(bool(falls), "the shares of a tail do not fall")
    return Tail(share, reach, fields.finite("excess", 0.0))
