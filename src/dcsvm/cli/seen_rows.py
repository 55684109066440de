"""Whether rows are those that a model was trained on, by hashes of rows in its file.

A model file has the `KEPT` smallest hashes of its training rows. Of other rows those can be judged
whose hashes are not above the largest kept one; where there were no more rows, all.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

KEPT = 4096
# From this share on, rows of training are worth a note: a few rows are equal by chance.
WORTH_A_NOTE = 0.1
LARGEST_HASH = np.iinfo(np.uint64).max

Hashes = NDArray[np.uint64]


def hashes_of(X: Any) -> Hashes:
    """A hash of each row of a frame, or of a sparse matrix."""
    if sparse.issparse(X):
        X = X.tocsr()
        entry = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        own = pd.DataFrame({"column": X.indices.astype(np.int64), "value": X.data})
        total = np.zeros(X.shape[0], dtype=np.uint64)
        np.add.at(total, entry, pd.util.hash_pandas_object(own, index=False).to_numpy())
        return total
    return np.asarray(pd.util.hash_pandas_object(X, index=False), dtype=np.uint64)


def trace_of(X: Any) -> dict[str, Any]:
    """What a model file keeps of its training rows, as JSON has it."""
    hashes = np.unique(hashes_of(X))
    kept = hashes[:KEPT].astype("<u8")
    return {
        "hashes": base64.b64encode(kept.tobytes()).decode("ascii"),
        "all": len(hashes) <= KEPT,
    }


class SeenRows:
    """Counts rows that a model was trained on; `trace` is None where its file has none."""

    def __init__(self, trace: dict[str, Any] | None) -> None:
        stored = b"" if trace is None else base64.b64decode(trace["hashes"])
        self.known = np.frombuffer(stored, dtype="<u8").astype(np.uint64)
        is_all = trace is not None and trace["all"]
        self.largest = LARGEST_HASH if is_all else self.known.max(initial=0)
        self.judged = self.seen = 0

    def count(self, X: Any) -> None:
        """Add some rows."""
        if len(self.known) == 0 or X.shape[0] == 0:
            return
        hashes = hashes_of(X)
        judged = hashes[hashes <= self.largest]
        self.judged += len(judged)
        self.seen += int(np.isin(judged, self.known).sum())

    def add(self, other: SeenRows) -> None:
        """Add the counts of other rows."""
        self.judged += other.judged
        self.seen += other.seen

    @property
    def share(self) -> float | None:
        """The share of rows that the model was trained on; None where none could be judged."""
        return self.seen / self.judged if self.judged else None

    def note(self, figures: dict[str, Any] | None) -> str | None:
        """What the user should know, with the accuracy that the model had on held-out rows."""
        if self.share is None or self.share < WORTH_A_NOTE:
            return None
        part = "All" if self.share == 1 else f"{100 * self.share:.0f} %"
        found = ""
        if figures is not None:
            found = f": it had {100 * figures['accuracy']:.2f} % on rows held out from training"
        return (
            f"{part} of these rows are rows that the model was trained on, so that an accuracy on "
            f"them is no measure for new rows{found}."
        )
