"""The state of an estimator, which changes as a whole.

`fit` works on a copy, and at its end the estimator takes over all that is new in one assignment.
Methods for prediction look at one copy throughout. So a `predict` that runs while another thread
fits the same estimator uses the old state or the new one, never parts of both.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, TypeVar

Estimator = TypeVar("Estimator")

CALLBACK_STATE = ("_callback_fit_ctx", "_skl_callbacks_to_teardown")


def snapshot(estimator: Estimator) -> Estimator:
    """A copy with the same attributes, for use while another thread may change the original."""
    copy: Estimator = object.__new__(type(estimator))
    vars(copy).update(vars(estimator))
    return copy


class Refit:
    """A copy to be fitted, and the old state, to which anything that stops the block leads back.

    Attributes
    ----------
    fitted : estimator
        The copy.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.before = vars(estimator).copy()
        self.fitted = snapshot(estimator)

    def take_over(self) -> None:
        """Change what has been changed in the copy, all at once."""
        old, new = self.before, vars(self.fitted)
        gone = old.keys() - new.keys()
        changed = {n: v for n, v in new.items() if n not in old or old[n] is not v}
        kept = {n: v for n, v in vars(self.estimator).items() if n not in gone}
        self.estimator.__dict__ = {**kept, **changed}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            # What scikit-learn put there to take leave of its callbacks is for it to remove.
            now = vars(self.estimator).items()
            callbacks = {n: v for n, v in now if n in CALLBACK_STATE}
            self.estimator.__dict__ = {**self.before, **callbacks}
