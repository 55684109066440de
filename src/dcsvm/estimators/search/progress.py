"""Progress of a search: for scikit-learn's callbacks, for listeners, and printed if `verbose`.

One task for every kernel and γ, in every round of folds that is evaluated together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any, NamedTuple

__all__ = ["SearchProgress", "SearchState", "listening_to_search"]


class SearchState(NamedTuple):
    """How far a search is."""

    n_done: int  # points times folds, those given up included
    n_all: int
    best_score: float | None  # of the points that are finished
    best_parameters: dict[str, Any]

    @property
    def best(self) -> str:
        """The best so far in words, or nothing before there is one."""
        if self.best_score is None:
            return ""
        named = self.best_parameters.items()
        values = (f"{n}={v:.4g}" if isinstance(v, float) else f"{n}={v}" for n, v in named)
        return f"best so far {self.best_score:.4f} with {', '.join(values)}"


Listener = Callable[[SearchState], None]
_listener: ContextVar[Listener | None] = ContextVar("search_listener", default=None)


@contextmanager
def listening_to_search(listener: Listener) -> Iterator[None]:
    """Call `listener(state)` during all searches in this thread."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class SearchProgress:
    """Reports what is done. All methods are called from the fitting thread."""

    def __init__(self, estimator: Any, X: Any, y: Any) -> None:
        self.estimator = estimator
        self.data = {"X": X, "y": y}
        self.start = self.last_line = monotonic()
        self.context: Any = None
        self.listener = _listener.get()

    def begin(self) -> None:
        """Report that the search begins."""
        estimator = self.estimator
        if getattr(estimator, "_skl_callbacks", None) or hasattr(estimator, "_parent_callback_ctx"):
            self.context = estimator._init_callback_context(max_subtasks=None)
            self.context.call_on_fit_task_begin(estimator=estimator, **self.data)

    def done(self, name: str, state: SearchState) -> None:
        """Report that a task is done."""
        if self.context is not None:
            task = self.context.subcontext(task_name=name)
            task.call_on_fit_task_begin(estimator=self.estimator, **self.data)
            task.call_on_fit_task_end(estimator=self.estimator, **self.data)
        if self.listener is not None:
            self.listener(state)
        if self.estimator.verbose and (
            monotonic() - self.last_line > 1 or state.n_done == state.n_all
        ):
            self.last_line = monotonic()
            print(
                f"[{type(self.estimator).__name__}] {state.n_done} of {state.n_all} scores in "
                f"{self.last_line - self.start:.0f} s" + (f", {state.best}" if state.best else ""),
                flush=True,
            )

    def end(self) -> None:
        """Report that the whole fit is done."""
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.estimator, **self.data)
