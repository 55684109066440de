"""Reading svmlight (libsvm) files: sparse rows without names, the label in front."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from dcsvm.cli.errors import UserError
from dcsvm.cli.files import check_readable, first_bytes, open_bytes
from dcsvm.cli.targets import FLOAT, INTEGER, TEXT, Target

BLOCK_BYTES = 2**22
NAME = "label"
Block = tuple[Any, NDArray[np.float64]]  # rows and their labels


def read_svmlight(path: Path) -> tuple[Any, NDArray[np.float64], bool]:
    """All rows, their labels, and whether features are numbered from zero."""
    check_readable(path)
    first_bytes(path, 100)
    with open_bytes(path) as file:
        X, labels = _parse(path, file)
    if X.shape[0] == 0:
        raise UserError(f"{path} has no rows.")
    zero_based = _has_feature_0(X)
    return X if zero_based else X[:, 1:], labels, zero_based


def svmlight_blocks(path: Path, n_features: int, zero_based: bool) -> Iterator[Block]:
    """The rows in order, a block of lines at a time."""
    check_readable(path)
    first_bytes(path, 100)
    with open_bytes(path) as file:
        while lines := file.readlines(BLOCK_BYTES):
            X, labels = _parse(path, io.BytesIO(b"".join(lines)))
            if not zero_based:
                if _has_feature_0(X):
                    raise UserError(
                        f"{path} has a feature number 0, but the model's data begin at 1."
                    )
                X = X[:, 1:]
            if X.shape[1] > n_features:
                raise UserError(
                    f"{path} has a feature number {X.shape[1] - zero_based}, but the model has "
                    f"{n_features} features only: is it of the same kind of data?"
                )
            X.resize((X.shape[0], n_features))
            if X.shape[0]:
                yield X, labels


def _parse(path: Path, file: IO[bytes]) -> Block:
    """Rows with a column 0, empty where features are numbered from one."""
    try:
        X, labels = load_svmlight_file(file, zero_based=True)
    except (ValueError, TypeError, UnicodeDecodeError) as error:
        raise UserError(
            f"{path} is not in the svmlight format (label index:value ...): {error}."
        ) from error
    return sparse.csr_matrix(X), np.asarray(labels, dtype=np.float64)


def _has_feature_0(X: Any) -> bool:
    return bool(X.shape[1] and X[:, [0]].nnz)


def svmlight_target(labels: NDArray[np.float64]) -> tuple[Target, NDArray[Any]]:
    """The kind of the labels, and the labels."""
    if (labels % 1 == 0).all():
        return Target(NAME, INTEGER), labels.astype(np.int64).astype(object)
    if len(np.unique(labels)) > len(labels) // 2:
        return Target(NAME, FLOAT), labels.astype(object)
    return Target(NAME, TEXT), np.array([repr(label) for label in labels.tolist()], dtype=object)
