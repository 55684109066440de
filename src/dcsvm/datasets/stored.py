"""Sets as files of a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from dcsvm.datasets.sources import Source

VARIABLE = "DCSVM_DATA"


def folders() -> list[Path]:
    """Where to look: what DCSVM_DATA names, and nothing else, if it is set."""
    named = os.environ.get(VARIABLE)
    if named:
        return [Path(named)]
    beside = Path("..") / "shared" / "data"
    checkout = Path(__file__).resolve().parents[3]
    return [beside, checkout / beside]


def stored_file(source: Source) -> Path | None:
    """The file of a set, or None."""
    files = (folder / source.file_name for folder in folders())
    return next((file for file in files if file.is_file()), None)


def read(source: Source, file: Path) -> Any:
    """A stored set: columns f0, f1, … are features, `label` and `split` say what they are."""
    try:
        import pandas as pd

        frame = pd.read_parquet(file)
    except ImportError as error:
        raise ImportError(
            f"{file.name} is read by pandas and pyarrow: pip install 'dcsvm[paper]'."
        ) from error
    features = [c for c in frame.columns if c[0] == "f" and c[1:].isdigit()]
    others = [c for c in frame.columns if c not in {*features, "label", "split"}]
    return Bunch(
        data=frame[features].to_numpy(np.float64),
        target=plain(frame["label"].to_numpy()),
        feature_names=features,
        split=plain(frame["split"].to_numpy()) if "split" in frame else None,
        extra={c: plain(frame[c].to_numpy()) for c in others},
        DESCR=description(source, f"the file {file.name}"),
    )


def plain(column: Any) -> Any:
    """Numbers as 64-bit integers, anything else as strings."""
    column = np.asarray(column)
    return column.astype(np.int64) if column.dtype.kind in "iub" else column.astype(str)


def description(source: Source, origin: str) -> str:
    """A few lines about a set, and where these rows were taken from."""
    return (
        f"{source.name}: {source.about}\n"
        f"{source.n_rows} rows, {source.n_features} features, {source.n_classes} classes.\n"
        f"Original: {source.original}. These rows: {origin}."
    )
