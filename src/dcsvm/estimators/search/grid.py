"""The points of a search: kernels, values of γ, values of C.

Without given values, those of γ follow from the data. A Gaussian kernel tells rows apart that are
at least 1/√γ from each other. From one value to the next γ doubles,

    from 1 / (10 · the median squared distance of two rows), where machines are nearly linear,
    to 1 / (the median squared distance of a row to the next one), where every row stands alone.

For "poly" and "sigmoid" the scalar products of rows with themselves take the place of distances.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

LEAST_C, MOST_C = 10**-1.5, 10.0**3
WITH_GAMMA = ("rbf", "poly", "sigmoid")
# Rows whose distances are computed.
MOST_ROWS = 500
SMOOTHEST = 0.1
FEWEST_GAMMAS, MOST_GAMMAS = 4, 10
# A growing grid goes so far, by so many values at a time.
BOUNDS_OF_GROWTH = 1e-5, 1e7
GROWTH = 3


class Setting(NamedTuple):
    """A kernel with its γ: what all values of C are tried with."""

    kernel: Any
    gamma: float | str | None  # None: the kernel has none

    @property
    def parameters(self) -> dict[str, Any]:
        """γ as a parameter of `DCSVC`."""
        return {} if self.gamma is None else {"gamma": self.gamma}


def costs(Cs: Any) -> NDArray[np.float64]:
    """The values of C, rising."""
    if isinstance(Cs, str):
        Cs = 10
    if np.ndim(Cs) == 0:
        return _geometric(LEAST_C, MOST_C, int(Cs))
    found = np.unique(np.asarray(Cs, dtype=np.float64))
    if len(found) == 0 or not ((found > 0) & np.isfinite(found)).all():
        raise ValueError(f"Cs must be positive numbers, or how many values to try; got {Cs!r}.")
    return found


def further_costs(Cs: NDArray[np.float64], best: int) -> NDArray[np.float64]:
    """The values of C with which a grid grows beyond the best one, if that is the last."""
    if len(Cs) < 2 or best not in (0, len(Cs) - 1):
        return np.empty(0)
    towards = -1 if best == 0 else 1
    ratio = float(np.sqrt(10)) if len(Cs) < 3 else float(Cs[-1] / Cs[-2] if best else Cs[1] / Cs[0])
    found = _rounded(Cs[best] * ratio ** (towards * np.arange(1.0, GROWTH + 1)))
    return np.sort(found[(found >= BOUNDS_OF_GROWTH[0]) & (found <= BOUNDS_OF_GROWTH[1])])


def settings(kernel: Any, gammas: Any, X: Any, is_scaled: bool) -> list[Setting]:
    """All kernels with all their values of γ, in the order of `gammas` or rising."""
    kernels = list(kernel) if isinstance(kernel, list | tuple) else [kernel]
    found = []
    for one in kernels:
        if isinstance(one, str) and one in WITH_GAMMA:
            found += [Setting(one, gamma) for gamma in _gammas(gammas, one, X, is_scaled)]
        else:
            found.append(Setting(one, None))
    return found


def _gammas(gammas: Any, kernel: str, X: Any, is_scaled: bool) -> list[Any]:
    if isinstance(gammas, str) or np.ndim(gammas) == 0:
        least, most = bounds_of_gamma(kernel, X, is_scaled)
        doublings = int(np.ceil(np.log2(most / least))) + 1
        by_itself = int(np.clip(doublings, FEWEST_GAMMAS, MOST_GAMMAS))
        return [*_geometric(least, most, by_itself if gammas == "auto" else int(gammas)).tolist()]
    found = list(gammas)
    if not found:
        raise ValueError("gammas must have at least one value.")
    for gamma in found:
        if gamma not in ("scale", "auto") and not (np.isfinite(gamma) and gamma >= 0):
            raise ValueError(f'A value of gammas must be a number, "scale" or "auto"; got {gamma}.')
    return found


def bounds_of_gamma(kernel: str, X: Any, is_scaled: bool) -> tuple[float, float]:
    """The smallest and the largest value of γ that are worth trying."""
    X = X[np.linspace(0, X.shape[0] - 1, min(X.shape[0], MOST_ROWS)).astype(np.int64)]
    X = X.astype(np.float64)
    if is_scaled:
        X = _standardised(X)
    if kernel == "rbf":
        squares = euclidean_distances(X, squared=True)
        apart = squares[np.triu_indices(len(squares), 1)]
        apart = apart[apart > 1e-12 * apart.max(initial=0.0)]  # not the copies of a row
        typical = float(np.median(apart)) if len(apart) else 1.0
        squares[squares <= 1e-12 * typical] = np.inf
        next_row = squares.min(axis=1)
        near = float(np.median(next_row)) if np.isfinite(next_row).all() else typical
    else:
        products = row_norms(X, squared=True)
        typical = float(np.median(products)) or 1.0
        near = typical * SMOOTHEST
    return SMOOTHEST / typical, max(1.0 / near, 1.0 / typical)


def _standardised(X: Any) -> Any:
    """Features of variance one, as far as they vary; sparse ones as they are, but for a factor."""
    if not sparse.issparse(X):
        spread = X.std(axis=0)
        return X / np.where(spread > 0, spread, 1.0)
    mean = np.asarray(X.mean(axis=0)).ravel()
    spread = np.sqrt(np.maximum(np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2, 0.0))
    return X @ sparse.diags_array(1.0 / np.where(spread > 0, spread, 1.0))


def _geometric(least: float, most: float, n: int) -> NDArray[np.float64]:
    if n == 1:
        return _rounded(np.array([np.sqrt(least * most)]))
    return _rounded(np.geomspace(least, most, n))


def _rounded(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """To four digits, for people to read."""
    return np.array([float(f"{number:.4g}") for number in numbers.tolist()])
