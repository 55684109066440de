"""Model files of `dcsvm fit`: a pipeline, and what must be known of its table to use it."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dcsvm
from dcsvm.cli.columns import Column
from dcsvm.cli.errors import UserError
from dcsvm.cli.files import check_readable
from dcsvm.cli.options import ReadingOptions
from dcsvm.cli.seen_rows import trace_of
from dcsvm.cli.targets import Target
from dcsvm.cli.training_data import TrainingTable

# Version of the form of the metadata.
METADATA_VERSION = 1
LIBRARIES = ("numpy", "scipy", "scikit-learn", "skrub", "pandas", "pyarrow")


@dataclass(frozen=True)
class Model:
    """A fitted pipeline and the columns it was fitted to."""

    path: Path
    pipeline: Any
    metadata: dict[str, Any]
    target: Target
    columns: list[Column]

    @classmethod
    def of(cls, path: Path, pipeline: Any, metadata: Any) -> Model:
        """The contents of a file, which must be what `dcsvm fit` has saved."""
        if not isinstance(metadata, dict) or "dcsvm_cli" not in metadata:
            raise UserError(
                f"{path} was not made by `dcsvm fit` and does not know the columns of a table: use "
                "it in Python with dcsvm.load, or fit a model with `dcsvm fit`."
            )
        if metadata["dcsvm_cli"] > METADATA_VERSION:
            raise UserError(f"{path} was made by a newer dcsvm: upgrade with pip install -U dcsvm.")
        target, columns = metadata["target"], metadata["columns"]
        return cls(path, pipeline, metadata, Target(**target), [Column(**c) for c in columns])

    @property
    def classifier(self) -> Any:
        """The last step."""
        return self.pipeline[-1]

    def reading(self, options: ReadingOptions) -> ReadingOptions:
        """How to read a table: what means a missing value is known from training."""
        known = self.metadata.get("na_values")
        return replace(options, na_values=known) if options.na_values is None else options

    @property
    def is_sparse(self) -> bool:
        """Whether it was fitted to an svmlight file."""
        return bool(self.metadata["input"] == "svmlight")


def make_metadata(
    table: TrainingTable, data: Path, figures: dict[str, Any] | None, tuned: dict[str, Any] | None
) -> dict[str, Any]:
    """What is saved with a pipeline."""
    return {
        "dcsvm_cli": METADATA_VERSION,
        **table.source,
        "data": data.name,
        "rows": table.n_rows,
        "target": asdict(table.target),
        "columns": [column.to_json() for column in table.columns],
        "figures": figures,
        "tuned": tuned,
        "trained_on": None if table.X is None else trace_of(table.X),
        "fitted": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "dcsvm": dcsvm.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in LIBRARIES},
        },
    }


def load_model(path: Path) -> tuple[Any, dict[str, Any] | None]:
    """The model in a file, which may have been saved in Python, and its metadata."""
    check_readable(path)
    return dcsvm.load(path, return_metadata=True)  # type: ignore[no-any-return]


def open_model(path: Path) -> Model:
    """A model that `dcsvm fit` has saved."""
    return Model.of(path, *load_model(path))
