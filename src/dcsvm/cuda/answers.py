"""What a way from a row to its class gives on the GPU."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from dcsvm.cuda.evaluation import DeviceMachines


class Answers(NamedTuple):
    """What a route gives for some rows, on the GPU."""

    leaf: Any
    n_evaluated: Any
    decisions: Any | None  # as `decision_function` returns them


class DeviceRoute(Protocol):
    """A route on the GPU."""

    machines: DeviceMachines

    def rows_at_once(self, n_features: int) -> int:
        """How many rows a call may be given to fit in memory."""

    def answers(self, X: Any, of_host: Any, with_decisions: bool) -> Answers:
        """The classes of rows that the GPU has; `of_host` are the same rows, or None."""
