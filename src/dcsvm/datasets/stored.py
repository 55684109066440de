"""Data sets in Parquet files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from dcsvm.datasets.sources import Source

VARIABLE = "DCSVM_DATA"


def folders() -> list[Path]:
    """Where to look: in the folder that DCSVM_DATA names, and nowhere else, if it is set."""
    named = os.environ.get(VARIABLE)
    if named:
        return [Path(named)]
    beside = Path("..") / "shared" / "data"
    checkout = Path(__file__).resolve().parents[3]
    return [beside, checkout / beside]


def find(file_name: str) -> Path | None:
    """A file in one of the folders, or None."""
    files = (folder / file_name for folder in folders())
    return next((file for file in files if file.is_file()), None)


def stored_file(source: Source) -> Path | None:
    """The file of a set, or None."""
    return find(source.file_name)


def read(file: Path) -> Any:
    """A set as `dcsvm.datasets.load` returns it, but without `DESCR`.

    f0, f1, … are features, `label` and `split` the classes and official parts.
    """
    try:
        import pandas as pd

        frame = pd.read_parquet(file)
    except ImportError as error:
        raise ImportError(
            f"{file.name} is read by pandas and pyarrow: pip install 'dcsvm[paper]'."
        ) from error
    features = [c for c in frame.columns if c[0] == "f" and c[1:].isdigit()]
    others = {c: _plain(frame[c].to_numpy()) for c in frame.columns if c not in features}
    return Bunch(
        data=frame[features].to_numpy(np.float64),
        target=others.pop("label"),
        feature_names=features,
        split=others.pop("split", None),
        extra=others,
    )


def _plain(column: Any) -> Any:
    """Whole numbers as 64-bit integers, anything else as strings."""
    column = np.asarray(column)
    return column.astype(np.int64) if column.dtype.kind in "iub" else column.astype(str)


def description(source: Source, origin: str) -> str:
    """A few lines about a set, and where these rows were taken from."""
    return (
        f"{source.name}: {source.about}\n"
        f"{source.n_rows} rows, {source.n_features} features, {source.n_classes} classes.\n"
        f"Original: {source.original}. These rows: {origin}."
    )


def without_split(source: Source, found: tuple[Any, Any, list[str]], origin: str) -> Any:
    """A set without official parts, of which features, labels and names of features were found."""
    data, target, names = found
    return Bunch(
        data=np.asarray(data, dtype=np.float64),
        target=target,
        feature_names=names,
        split=None,
        extra={},
        DESCR=description(source, origin),
    )
