"""Some of the pairs of classes, where not all of them have a machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.computed import computed_once

# In place of a machine, where there is none.
NO_MACHINE = -1


class SomePairs:
    """Pairs of classes i < j in order, the machines of which are numbered as they stand.

    Parameters
    ----------
    n_classes : int
    pairs : array of shape (n_machines, 2)
        In any order, and maybe more than once.
    """

    def __init__(self, n_classes: int, pairs: NDArray[Any]) -> None:
        self.n_classes = n_classes
        codes = np.unique(pairs.min(axis=1).astype(np.int64) * n_classes + pairs.max(axis=1))
        first, self.partner = codes // n_classes, (codes % n_classes).astype(np.int32)
        # The pairs i < j of class i are start[i] : start[i + 1], by j.
        self.start: NDArray[np.int64] = np.searchsorted(first, np.arange(n_classes + 1))

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self.partner)

    @computed_once
    def of_machine(self) -> NDArray[np.int32]:
        """The classes i < j of every machine, shape (n_machines, 2), read-only."""
        first = np.repeat(np.arange(self.n_classes, dtype=np.int32), np.diff(self.start))
        pairs = np.column_stack([first, self.partner])
        pairs.setflags(write=False)
        return pairs

    def machine_of(self, i: Any, j: Any) -> Any:
        """The number of the machine of classes i < j, which may be arrays, or `NO_MACHINE`."""
        code = np.asarray(i, dtype=np.int64) * self.n_classes + j
        place = np.minimum(np.searchsorted(self._codes, code), len(self) - 1)
        return np.where(self._codes[place] == code, place, NO_MACHINE)

    @computed_once
    def _codes(self) -> NDArray[np.int64]:
        return self.of_machine[:, 0].astype(np.int64) * self.n_classes + self.partner

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("n_classes", "start", "partner")}

    def __repr__(self) -> str:
        return f"SomePairs({len(self)} pairs of {self.n_classes} classes)"
