"""Values that do not fit their column, counted over all batches of a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow.compute as pc

from dcsvm.cli.wording import counted, listed

# So many values of a column are named.
NAMED = 5


@dataclass
class _Found:
    n: int = 0
    examples: dict[str, None] = field(default_factory=dict)  # in their order in the table

    def add(self, values: Any) -> None:
        self.n += len(values)
        if len(self.examples) <= NAMED and len(values):
            self.examples.update(dict.fromkeys(map(str, pc.unique(values).to_pylist())))

    def told(self) -> str:
        """The number of values, and some of them."""
        names = list(self.examples)
        more = ", …" if len(names) > NAMED else ""
        return f"{counted(self.n, 'value')} ({listed(names[:NAMED], NAMED)}{more})"


class Misfits:
    """What could not be read, and what training has not seen, by column."""

    def __init__(self) -> None:
        self._unreadable: dict[str, _Found] = {}
        self._unseen: dict[str, _Found] = {}

    def count_unreadable(self, column: str, values: Any) -> None:
        """Add values that --coerce takes as missing."""
        self._unreadable.setdefault(column, _Found()).add(values)

    def count_unseen(self, column: str, values: Any) -> None:
        """Add texts that training has not seen."""
        if len(values):
            self._unseen.setdefault(column, _Found()).add(values)

    def notes(self) -> list[str]:
        """A sentence for each column."""
        return [
            *(
                f"Column {name!r}: {found.told()} could not be read and {_is(found.n)} taken as "
                "missing (--coerce)."
                for name, found in self._unreadable.items()
            ),
            *(
                f"Column {name!r}: {found.told()} {_is(found.n)} not in the training data and "
                "tell the model nothing."
                for name, found in self._unseen.items()
            ),
        ]

    def to_json(self) -> dict[str, Any]:
        """The counts by column."""
        return {
            "unreadable_values": {name: found.n for name, found in self._unreadable.items()},
            "unseen_values": {name: found.n for name, found in self._unseen.items()},
        }


def _is(n: int) -> str:
    return "is" if n == 1 else "are"
