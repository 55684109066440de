"""Checks of what users pass in, each with an error that says what to do."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.memory import physical_memory
from dcsvm._util.user_line import level_of_user
from dcsvm.data.pairs import n_pairs

# Per machine and class: two float32 counts and two bits.
BYTES_PER_TABLE_ENTRY = 8.25
# Per machine, at the least: two support vectors, an intercept, offsets and the pair.
BYTES_PER_MACHINE = 64


def check_square(X: Any) -> None:
    """Raise an error if a precomputed kernel does not compare the training rows to themselves."""
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            "A precomputed kernel must be a square matrix of the training rows against "
            f"themselves; X has shape {X.shape}."
        )


def check_breaks_ties(estimator: Any) -> None:
    """Refuse, as SVC does, to break ties between classes where there are values of pairs."""
    if estimator.break_ties and estimator.decision_function_shape == "ovo":
        raise ValueError(
            "break_ties must be False when decision_function_shape is 'ovo': equal votes are "
            "decided by scores of the classes. Set decision_function_shape='ovr'."
        )


def warn_if_changed(estimator: Any, names: Iterable[str], reason: str) -> None:
    """Warn of parameters that are not at their defaults but have no effect."""
    defaults = signature(type(estimator)).parameters
    changed = [n for n in names if getattr(estimator, n) != defaults[n].default]
    if changed:
        given = " and ".join(f"{name}={getattr(estimator, name)!r}" for name in changed)
        have = "has" if len(changed) == 1 else "have"
        warnings.warn(f"{given} {have} no effect: {reason}.", UserWarning, level_of_user())


def check_columns_distinct(X: Any) -> None:
    """Refuse frames in which a column name stands twice."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return
    repeated = sorted(str(name) for name, times in Counter(columns).items() if times > 1)
    if repeated:
        raise ValueError(
            f"X has more than one column named {', '.join(map(repr, repeated))}. "
            "Rename or drop the duplicates."
        )


def check_every_class_has_weight(
    classes: NDArray[Any], codes: NDArray[np.int64], weight: NDArray[np.float64]
) -> None:
    """Refuse weights that take all rows of a class away."""
    weighted = np.bincount(codes[weight > 0], minlength=len(classes))
    if (weighted == 0).all():
        raise ValueError(
            "Invalid input - all samples have zero or negative weights. Give some a weight above 0."
        )
    if (weighted > 0).sum() == 1:
        raise ValueError(
            "Invalid input - all samples with positive weights belong to the same class, "
            f"{classes.tolist()[weighted.argmax()]!r}. Give rows of another class weight too."
        )
    if (weighted == 0).any():
        lost = ", ".join(repr(c) for c in classes[weighted == 0][:5].tolist())
        raise ValueError(
            f"All rows of class {lost} have zero weight, so that nothing can be learnt about "
            "it. Give it weight, or leave its rows out of X and y."
        )


def check_memory(n_classes: int, n_scaled: int, available: int | None = None) -> None:
    """Refuse so many classes that their machines cannot be held in memory.

    `n_scaled` features have a centre and a scale in every machine.
    """
    if available is None:
        available = physical_memory()
    machines = n_pairs(n_classes)
    per_machine = n_classes * BYTES_PER_TABLE_ENTRY + BYTES_PER_MACHINE + 16 * n_scaled
    needed = machines * per_machine
    if available is not None and needed > available:
        raise MemoryError(
            f"{n_classes:,} classes need {machines:,} machines, which with their table take at "
            f"least {_size(needed)} of memory; this computer has {_size(available)}. If y is a "
            "quantity rather than a class, bin it or use a regressor; else use "
            "DCSVC(machines='needed') with theta above 0, or merge rare classes."
        )


def _size(n_bytes: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.0f} PB"
