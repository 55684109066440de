"""Progress of a fit: for scikit-learn's callbacks, for listeners, and printed if `verbose`.

One task per machine. Callbacks (scikit-learn 1.9 and later) are set as for any estimator, for
instance ``clf.set_callbacks(ProgressBar())``. `listening` works with every scikit-learn, and
covers all fits inside it, also those of a search or a pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any

from numpy.typing import NDArray

__all__ = ["CallbackSupportMixin", "Progress", "listening"]

Listener = Callable[[int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call `listener(n_trained, n_machines)` during all fits in this thread."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Scikit-learn before 1.9 knows no callbacks."""


class Progress:
    """Reports machines as they are trained. All methods are called from the fitting thread."""

    def __init__(self, estimator: Any, X: Any, y: Any, classes: NDArray[Any]) -> None:
        self.estimator = estimator
        self.data = {"X": X, "y": y}
        self.classes = classes
        self.n_done = 0
        self.start = self.last_line = monotonic()
        self.context: Any = None
        self.listener = _listener.get()

    def begin(self, pairs: NDArray[Any]) -> None:
        """Report that machines for these pairs of classes will be trained."""
        self.pairs, estimator = pairs, self.estimator
        if self.listener is not None:
            self.listener(0, len(self.pairs))
        if getattr(estimator, "_skl_callbacks", None) or hasattr(estimator, "_parent_callback_ctx"):
            self.context = estimator._init_callback_context(
                max_subtasks=len(self.pairs), sequential_subtasks=False
            )
            self.context.call_on_fit_task_begin(estimator=estimator, **self.data)

    def trained(self, machines: Iterable[int]) -> None:
        """Report that these machines are trained."""
        for m in machines:
            self.n_done += 1
            if self.context is not None:
                i, j = self.classes[self.pairs[m]].tolist()
                task = self.context.subcontext(task_name=f"{i} vs {j}", task_id=int(m))
                task.call_on_fit_task_begin(estimator=self.estimator, **self.data)
                task.call_on_fit_task_end(estimator=self.estimator, **self.data)
        if self.listener is not None:
            self.listener(self.n_done, len(self.pairs))
        if self.estimator.verbose and (monotonic() - self.last_line > 1 or self.is_complete):
            self._print()

    def end(self) -> None:
        """Report that the whole fit is done."""
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.estimator, **self.data)

    @property
    def is_complete(self) -> bool:
        """Whether all machines are trained."""
        return self.n_done >= len(self.pairs)

    def _print(self) -> None:
        self.last_line = monotonic()
        spent = self.last_line - self.start
        left = spent * (len(self.pairs) - self.n_done) / max(self.n_done, 1)
        print(
            f"[{type(self.estimator).__name__}] {self.n_done} of {len(self.pairs)} machines "
            f"trained in {spent:.0f} s" + ("" if self.is_complete else f", {left:.0f} s left"),
            flush=True,
        )
