"""Models that `dcsvm fit` has made, and what they say about themselves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dcsvm
from dcsvm.cli.columns import Column
from dcsvm.cli.errors import UserError, check_readable
from dcsvm.cli.fitting import METADATA_VERSION
from dcsvm.cli.targets import Target


@dataclass(frozen=True)
class Model:
    """A fitted pipeline and the columns it was fitted to."""

    path: Path
    pipeline: Any
    metadata: dict[str, Any]
    target: Target
    columns: list[Column]

    @property
    def classifier(self) -> Any:
        """The last step."""
        return self.pipeline[-1]

    @property
    def is_sparse(self) -> bool:
        """Whether it takes svmlight files."""
        return bool(self.metadata["input"] == "svmlight")


def open_any_model(path: Path) -> tuple[Any, dict[str, Any] | None]:
    """A model file and what was saved with it."""
    check_readable(path)
    return dcsvm.load(path, return_metadata=True)  # type: ignore[no-any-return]


def open_model(path: Path) -> Model:
    """A model that can be given a table."""
    pipeline, metadata = open_any_model(path)
    if not isinstance(metadata, dict) or "dcsvm_cli" not in metadata:
        raise UserError(
            f"{path} was not made by `dcsvm fit` and does not know the columns of a table: use it "
            "in Python with dcsvm.load, or fit a model with `dcsvm fit`."
        )
    if metadata["dcsvm_cli"] > METADATA_VERSION:
        raise UserError(f"{path} was made by a newer dcsvm: upgrade with pip install -U dcsvm.")
    return Model(
        path,
        pipeline,
        metadata,
        Target(**metadata["target"]),
        [Column(**column) for column in metadata["columns"]],
    )
