"""Scores by the nearest prototype: for so many classes that not all pairs get a machine.

Rows x are mapped to z = (x − c) A, with c the mean of all rows and axes A along which the rows of a
class vary alike. The rows of each class are cut into groups, whose means are its prototypes p, and
the score of a class is

    −½ min_p |z − p|², less −½ |z|², which is the same for all classes.

With one prototype this is linear discriminant analysis. Without a row of weight w, the mean of its
group, of weight W, would be W / (W − w) times as far from it: so the scores that every row would
have had if left out follow from one fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dcsvm._util.batches import NUMBERS_AT_ONCE, slices
from dcsvm._util.computed import computed_once
from dcsvm.data.rows import TrainingRows
from dcsvm.routing.elimination.calibration import CalibratedShortlist, Calibration
from dcsvm.routing.elimination.rounds import Scores
from dcsvm.routing.plausibility import padded

Floats = NDArray[np.float32]

# Prototypes of a class that are tried, one after the other, until the accuracy of the scores is
# that high or rises by less.
N_PROTOTYPES = (1, 4, 16, 64)
ENOUGH_ACCURACY, LEAST_RISE = 0.995, 0.01
# Steps of k-means: more would improve the scores little.
STEPS = 8
# With more features than this, rows are projected to so many random directions.
MOST_FEATURES, N_DIRECTIONS = 512, 256
# What is added to the variance along every axis, as a multiple of the mean.
SHRINKAGE = 0.1
# Scores computed together.
SCORES_AT_ONCE = 2**22


@dataclass(eq=False, repr=False)
class PrototypeShortlist(CalibratedShortlist):
    """Scores by the nearest prototype of each class.

    Attributes
    ----------
    directions : array of shape (n_features, n_axes)
        To which rows are mapped.
    offset : array of shape (n_axes,)
        Of the mean of all rows, along them.
    prototypes : array of shape (n_prototypes, n_classes, n_axes)
        Of each class; those with fewer have some of them twice.
    accuracy, gap : float
        As of `LinearShortlist`.
    largest_gap : float
        With a larger gap there would be too many candidates.
    theta : float
        The least θ for which all machines that are needed are trained.
    """

    directions: NDArray[np.float64]
    offset: NDArray[np.float64]
    prototypes: Floats
    calibration: Calibration
    accuracy: float
    largest_gap: float = np.inf
    theta: float = 0.0
    # Kernel evaluations that the scores of a row are worth: one for each prototype.
    cost: float = field(init=False)

    def __post_init__(self) -> None:
        self.cost = float(self.prototypes[..., 0].size)

    @property
    def n_classes(self) -> int:
        """How many classes are scored."""
        return int(self.prototypes.shape[1])

    @property
    def name(self) -> str:
        """What it is."""
        n = len(self.prototypes)
        return f"{n} prototype{'s' if n > 1 else ''} a class"

    def at(self, theta: float) -> PrototypeShortlist:
        """The same with another chance to cut the right class off; none at all for θ = 0."""
        other = super().at(theta)
        if theta > 0:
            other.gap = min(other.gap, self.largest_gap)
        return other

    def scores(self, X: Any, machines: Any) -> Scores:
        """A score for every class (padded to panels) of every row of X."""
        out = np.full((X.shape[0], padded(self.n_classes)), -np.inf, dtype=np.float32)
        Z = mapped(X, self.directions, self.offset)
        for block in slices(len(Z), max(1, SCORES_AT_ONCE // self.prototypes[..., 0].size)):
            out[block, : self.n_classes] = class_scores(
                Z[block], self.prototypes, self._half_squares
            )
        return out

    @computed_once
    def _half_squares(self) -> Floats:
        return half_squares(self.prototypes)

    def compiled(self, machines: Any) -> None:
        """These scores are not compiled."""


class Axes(NamedTuple):
    """How rows are mapped: z = x @ directions − offset."""

    directions: NDArray[np.float64]
    offset: NDArray[np.float64]


class Grouped(NamedTuple):
    """Training rows as the scores see them, and their groups."""

    rows: TrainingRows
    axes: Axes
    Z: Floats  # the rows along the axes
    prototypes: list[Floats]  # of each class, (n_groups, n_axes)
    own_score: Floats  # of each row at its class, when it is left out; −∞ for the only row of one

    @property
    def padded_prototypes(self) -> Floats:
        """The prototypes as `PrototypeShortlist` has them."""
        most = max(map(len, self.prototypes))
        return np.stack([np.resize(p, (most, p.shape[1])) for p in self.prototypes], axis=1)

    def shortlist(
        self, calibration: Calibration, accuracy: float, largest_gap: float
    ) -> PrototypeShortlist:
        """The scores, calibrated."""
        return PrototypeShortlist(
            *self.axes, self.padded_prototypes, calibration, accuracy, largest_gap
        )


def half_squares(prototypes: Floats) -> Floats:
    """½ |p|² of all prototypes."""
    return np.asarray(np.einsum("pka,pka->pk", prototypes, prototypes).ravel() / 2)


def class_scores(Z: Floats, prototypes: Floats, half: Floats | None = None) -> Floats:
    """The score of every class at rows along the axes; `half_squares` where they are known."""
    n, k, _ = prototypes.shape
    values = Z @ prototypes.reshape(n * k, -1).T
    values -= half_squares(prototypes) if half is None else half
    return values if n == 1 else values.reshape(len(Z), n, k).max(axis=1)


def mapped(X: Any, directions: NDArray[np.float64], offset: NDArray[np.float64]) -> Floats:
    """Rows along the axes."""
    Z = np.empty((X.shape[0], len(offset)), dtype=np.float32)
    for block in slices(X.shape[0], max(1, NUMBERS_AT_ONCE // X.shape[1])):
        Z[block] = X[block] @ directions - offset
    return Z


def group(rows: TrainingRows, axes: Axes, Z: Floats, n_groups: int) -> Grouped:
    """Cut the rows of every class into at most so many groups."""
    prototypes, own_score = [], np.empty(rows.n_rows, dtype=np.float32)
    for c in range(rows.n_classes):
        own = rows.of_class(c)
        groups = _groups(Z[own], rows.weight[own], n_groups)
        means, own_score[own] = _means_and_scores(Z[own], rows.weight[own], groups)
        prototypes.append(means)
    return Grouped(rows, axes, Z, prototypes, own_score)


def _groups(Z: Floats, weight: NDArray[np.float64], n_groups: int) -> NDArray[np.int64]:
    """The group of each row: k-means from evenly spaced rows on."""
    n = len(Z)
    if n_groups == 1 or n <= n_groups:
        return np.zeros(n, dtype=np.int64) if n_groups == 1 else np.arange(n)
    centres = Z[np.linspace(0, n - 1, n_groups).astype(np.int64)]
    groups = np.full(n, -1)
    for _ in range(STEPS):
        scores = Z @ centres.T - np.einsum("pa,pa->p", centres, centres) / 2
        nearest = scores.argmax(axis=1)
        if (nearest == groups).all():
            break
        _, groups = np.unique(nearest, return_inverse=True)
        centres = _means(Z, weight, groups)
    return groups


def _means(Z: Floats, weight: NDArray[np.float64], groups: NDArray[np.int64]) -> Floats:
    share = np.zeros((int(groups.max()) + 1, len(Z)))
    share[groups, np.arange(len(Z))] = weight
    return np.asarray((share @ Z) / share.sum(axis=1, keepdims=True), dtype=np.float32)


def _means_and_scores(
    Z: Floats, weight: NDArray[np.float64], groups: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """The mean of every group, and the score of every row when it is left out of its own."""
    n = len(Z)
    total = np.bincount(groups, weights=weight)
    means = _means(Z, weight, groups)
    squares = ((Z[:, np.newaxis] - means) ** 2).sum(axis=2)
    rest = total[groups] - weight
    alone = rest <= 1e-9 * total[groups]
    farther = (total[groups] / np.where(alone, 1.0, rest)) ** 2
    own = squares[np.arange(n), groups]
    squares[np.arange(n), groups] = np.where(alone, np.inf, own * farther)
    nearest = squares.min(axis=1)
    return means, (np.einsum("ra,ra->r", Z, Z) - nearest).astype(np.float32) / 2


def axes_of(rows: TrainingRows) -> Axes:
    """Axes along which the rows of a class vary alike, in every direction by about one."""
    n_features = rows.X.shape[1]
    mean = _sums(rows, power=1)
    if n_features <= MOST_FEATURES:
        variances, directions = np.linalg.eigh(_scatter(rows))
        axes = directions / _deviations(variances)
    else:
        drawn = np.random.default_rng(0).normal(size=(n_features, N_DIRECTIONS))
        variances = _sums(rows, power=2) - mean**2
        axes = drawn / (_deviations(variances)[:, np.newaxis] * np.sqrt(N_DIRECTIONS))
    return Axes(axes, mean @ axes)


def _deviations(variances: NDArray[np.float64]) -> NDArray[np.float64]:
    variances = np.maximum(variances, 0.0)
    return np.asarray(np.sqrt(variances + SHRINKAGE * (variances.mean() or 1.0)))


def _blocks(rows: TrainingRows) -> Iterator[tuple[Any, NDArray[np.int64], NDArray[np.float64]]]:
    """Rows, their classes, and their shares of the weight."""
    for block in slices(rows.n_rows, max(1, NUMBERS_AT_ONCE // rows.X.shape[1])):
        numbers = np.arange(block.start, block.stop)
        yield rows.take(block), rows.codes(numbers), rows.weight[block] / rows.weight.sum()


def _class_means(rows: TrainingRows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and share of the weight of every class."""
    sums = np.zeros((rows.n_classes, rows.X.shape[1]))
    shares = np.zeros(rows.n_classes)
    for X, codes, share in _blocks(rows):
        first = int(codes[0])
        shape = (int(codes[-1]) + 1 - first, len(codes))
        of_class = sparse.csr_matrix((share, (codes - first, np.arange(len(codes)))), shape)
        part = of_class @ X
        sums[first : first + shape[0]] += part.toarray() if sparse.issparse(part) else part
        shares[first : first + shape[0]] += np.asarray(of_class.sum(axis=1)).ravel()
    return sums / shares[:, np.newaxis], shares


def _scatter(rows: TrainingRows) -> NDArray[np.float64]:
    """Covariance of the features within classes; of all rows, where classes have one row each."""
    means, shares = _class_means(rows)
    if rows.n_rows == rows.n_classes:
        means = np.broadcast_to(shares @ means, means.shape)
    scatter = np.zeros((rows.X.shape[1],) * 2)
    for X, codes, share in _blocks(rows):
        X = X.toarray() if sparse.issparse(X) else X
        off = (X - means[codes]) * np.sqrt(share)[:, np.newaxis]
        scatter += off.T @ off
    return scatter


def _sums(rows: TrainingRows, power: int) -> NDArray[np.float64]:
    """The mean of a power of every feature."""
    sums = np.zeros(rows.X.shape[1])
    for X, _, share in _blocks(rows):
        X = X if power == 1 else X.multiply(X) if sparse.issparse(X) else np.square(X)
        sums += np.asarray(X.T @ share).ravel()
    return sums
