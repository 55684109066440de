"""The rule where not all pairs of classes have a machine: a value decides between its two classes.

What a value means for a third class would have to be known for all classes and machines, for which
there is no room with thousands of classes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._core import Levels as CompiledLevels
from dcsvm.data.some_pairs import SomePairs


class OwnClasses(NamedTuple):
    """In place of `Levels`: any value is plausible for any class but the loser."""

    pairs: SomePairs

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return self.pairs.n_classes

    def core(self) -> CompiledLevels:
        """The same, as the compiled engine takes it."""
        return CompiledLevels.of_pairs(
            n_classes=self.n_classes, start=self.pairs.start, partner=self.pairs.partner
        )

    def machine_of(self, i: Any, j: Any) -> Any:
        """The machine of classes i < j, or `NO_MACHINE`."""
        return self.pairs.machine_of(i, j)

    def plausible(
        self, machine: NDArray[np.integer], values: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """The classes for which values[t] of machine[t] is plausible: all."""
        return np.ones((len(machine), self.n_classes), dtype=bool)
