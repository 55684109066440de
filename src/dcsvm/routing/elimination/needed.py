"""Which pairs of classes need a machine, where a cheap score tells most of them apart.

The candidates of a row are the classes within the gap of the highest score. They meet in the order
of their scores, and where two have no machine the one with the higher score wins. So the right
class l of a row is lost to a missing machine only if that is one of l and a class that scores
higher. Let

    e(l, c) = the highest score of c less that of l, among the training rows of l, and vice versa,

with the scores that each row has when it is left out. The pairs with e ≥ −t get a machine. For each
row, the least t with which all machines are there by which its own class could need to win follows
from the other rows alone; t is the ⌈(n+1)(1−θ)⌉-th smallest of these n numbers. A new row of any
class lacks such a machine with a probability of at most θ, as it is cut off by the gap with a
probability of at most θ.

Both may be more than is affordable. The gap is bounded so that there are `MOST_CANDIDATES` on
average, t by the gap, and the pairs by `MOST_PARTNERS` of a class on average: those at which most
rows come near both classes. `Needed.missed` has the share of the rows that are then lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcsvm._util.batches import slices
from dcsvm.data.rows import TrainingRows
from dcsvm.data.some_pairs import SomePairs
from dcsvm.routing.elimination.calibration import Calibration
from dcsvm.routing.elimination.linear import evenly
from dcsvm.routing.elimination.prototypes import (
    ENOUGH_ACCURACY,
    LEAST_RISE,
    N_PROTOTYPES,
    SCORES_AT_ONCE,
    Floats,
    Grouped,
    PrototypeShortlist,
    axes_of,
    class_scores,
    group,
    mapped,
)

# Candidates of a row, on average, beyond which their machines cost more than they are worth.
MOST_CANDIDATES = 64
# Machines of a class, on average, that are affordable with any number of classes.
MOST_PARTNERS = 128
# Rows on which the gap is calibrated.
ROWS_TO_CHECK = 8192
# Multiplications for the scores of all rows, beyond which classes get no more prototypes.
MOST_WORK = 10**12
# Rows on which numbers of prototypes are compared.
ROWS_TO_COMPARE = 2560
# What squared distances may be off by.
ROUNDING = 1.001
# Classes whose distances to all others are computed together.
CLASSES_AT_ONCE = 64


class Scored(NamedTuple):
    """Scores of training rows, each left out; −∞ for the only row of a class."""

    rows: NDArray[np.int64]
    classes: NDArray[np.int64]  # that are scored: all that come near
    scores: Floats  # (n_rows, n_classes)
    own: Floats  # that of the row's own class


class Needed(NamedTuple):
    """The pairs of classes that need a machine, and the scores that tell the others apart."""

    shortlist: PrototypeShortlist
    pairs: SomePairs | None  # None: all
    missed: float  # share of the rows whose class is cut off by the gap, or lacks a machine


class _Calibrated(NamedTuple):
    """How far own classes are behind, and how large a gap is affordable."""

    calibration: Calibration
    accuracy: float
    largest_gap: float


class _Near(NamedTuple):
    """Classes that come near the own class of a row, one entry for each."""

    row: NDArray[np.int64]
    pair: NDArray[np.int64]  # the two classes as one number
    excess: Floats  # by how much the score is above that of the own class


def needed_pairs(rows: TrainingRows, theta: float) -> Needed:
    """The pairs that need a machine, so that what is left out costs at most θ."""
    grouped = _best_groups(rows)
    checked = evenly(rows.n_rows, ROWS_TO_CHECK)
    found = _calibrated(rows, _left_out(grouped, checked))
    shortlist = grouped.shortlist(*found).at(theta)
    shortlist.theta = theta
    if not np.isfinite(shortlist.gap):
        return Needed(shortlist, None, 0.0)
    pairs, missed = confused_pairs(rows, _near(grouped, shortlist.gap), shortlist.gap, theta)
    pairs = np.concatenate([pairs, _nearest_classes(grouped)])
    return Needed(shortlist, SomePairs(rows.n_classes, pairs), missed)


def confused_pairs(
    rows: TrainingRows, scored: Iterable[Scored], gap: float, theta: float
) -> tuple[NDArray[np.int64], float]:
    """The pairs with e ≥ −t, shape (n_pairs, 2), and the share of the rows that are lost."""
    k = rows.n_classes
    near, weight, is_lost = _near_classes(rows, scored, gap)
    pair, highest, count, of_others = _pairs_of(near)
    above = near.excess >= 0
    needs = np.zeros(rows.n_rows)
    np.maximum.at(needs, near.row[above], -of_others[above])
    order = np.argsort(needs)
    slack = min(gap, Calibration(needs[order], weight[order]).gap(theta))
    is_affordable = np.zeros(len(pair), dtype=bool)
    is_affordable[np.argsort(-count, kind="stable")[: MOST_PARTNERS * k // 2]] = True
    chosen = pair[is_affordable & (highest >= -slack)]
    is_lost |= needs > slack
    is_lost[near.row[above & ~is_affordable[np.searchsorted(pair, near.pair)]]] = True
    share = float(weight @ is_lost / weight.sum()) if weight.any() else 0.0
    return np.column_stack([chosen // k, chosen % k]), share


def _near_classes(
    rows: TrainingRows, scored: Iterable[Scored], gap: float
) -> tuple[_Near, NDArray[np.float64], NDArray[np.bool_]]:
    """Classes near the own one, for rows within the gap; the weights of rows, and which are not.

    A row that is the only one of its class weighs nothing.
    """
    k = rows.n_classes
    parts, weight, is_cut = [], np.zeros(rows.n_rows), np.zeros(rows.n_rows, dtype=bool)
    for part in scored:
        known = np.isfinite(part.own)
        weight[part.rows[known]] = rows.weight[part.rows[known]]
        row, other = np.nonzero(
            part.scores >= np.where(known, part.own - gap, np.inf)[:, np.newaxis]
        )
        excess = part.scores[row, other] - part.own[row]
        too_far = np.zeros(len(known), dtype=bool)
        too_far[row[excess > gap]] = True
        is_cut[part.rows] = too_far
        first, second = rows.codes(part.rows)[row], part.classes[other]
        near = ~too_far[row] & (first != second)
        pair = np.minimum(first, second) * k + np.maximum(first, second)
        parts.append(_Near(part.rows[row[near]], pair[near], excess[near]))
    if not parts:
        nothing = np.empty(0, dtype=np.int64)
        return _Near(nothing, nothing, np.empty(0, dtype=np.float32)), weight, is_cut
    return _Near(*map(np.concatenate, zip(*parts, strict=True))), weight, is_cut


def _pairs_of(
    near: _Near,
) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64], Floats]:
    """Each pair with its e and its number of rows; and for each entry the e of the other rows."""
    order = np.argsort(near.pair)
    excess = near.excess[order]
    pair, start, count = np.unique(near.pair[order], return_index=True, return_counts=True)
    if len(pair) == 0:
        return pair, excess, count, excess
    highest = np.maximum.reduceat(excess, start)
    # A row knows a pair once. Without the row that has the highest, the second is the highest.
    of_pair = np.repeat(np.arange(len(pair)), count)
    at_highest = np.flatnonzero(excess == highest[of_pair])
    first = at_highest[np.unique(of_pair[at_highest], return_index=True)[1]]
    excess[first] = -np.inf
    of_others = np.empty_like(excess)
    of_others[order] = highest[of_pair]
    of_others[order[first]] = np.maximum.reduceat(excess, start)
    return pair, highest, count, of_others


def _best_groups(rows: TrainingRows) -> Grouped:
    """The fewest prototypes with which the scores are nearly as accurate as they can be."""
    axes = axes_of(rows)
    Z = mapped(rows.take(slice(None)), *axes)
    checked = evenly(rows.n_rows, ROWS_TO_COMPARE)
    best, accuracy = None, -1.0
    for n_groups in N_PROTOTYPES:
        work = rows.n_rows * rows.n_classes * n_groups * Z.shape[1]
        if best is not None and work > MOST_WORK:
            break
        grouped = group(rows, axes, Z, n_groups)
        found = _calibrated(rows, _left_out(grouped, checked))
        if best is not None and found.accuracy < accuracy + LEAST_RISE:
            break
        best, accuracy = grouped, found.accuracy
        if accuracy >= ENOUGH_ACCURACY:
            break
    assert best is not None
    return best


def _calibrated(rows: TrainingRows, scored: Iterable[Scored]) -> _Calibrated:
    """Calibrate on scores of all classes."""
    most = 4 * MOST_CANDIDATES
    behind, weight, distances = [], [], []
    for part in scored:
        known = np.isfinite(part.own)
        scores = part.scores[known]
        highest = scores.max(axis=1)
        behind.append(highest - part.own[known])
        weight.append(rows.weight[part.rows[known]])
        if rows.n_classes > MOST_CANDIDATES:
            nearest = -np.partition(-scores, min(most, scores.shape[1] - 1), axis=1)[:, :most]
            distances.append(highest[:, np.newaxis] - nearest)
    b, w = np.concatenate(behind).astype(np.float64), np.concatenate(weight)
    order = np.argsort(b)
    largest = np.inf
    if distances and len(b):
        in_order = np.sort(np.concatenate(distances), axis=None)
        largest = float(in_order[min(MOST_CANDIDATES * len(b), len(in_order)) - 1])
    accuracy = float(w @ (b <= 0) / w.sum()) if len(b) else 0.0
    return _Calibrated(Calibration(b[order], w[order]), accuracy, largest)


def _left_out(grouped: Grouped, numbers: NDArray[np.int64]) -> Iterator[Scored]:
    """The scores of all classes at some rows."""
    prototypes, k = grouped.padded_prototypes, grouped.rows.n_classes
    for block in slices(len(numbers), max(1, SCORES_AT_ONCE // prototypes[..., 0].size)):
        rows = numbers[block]
        scores, own = class_scores(grouped.Z[rows], prototypes), grouped.own_score[rows]
        scores[np.arange(len(rows)), grouped.rows.codes(rows)] = own
        yield Scored(rows, np.arange(k), scores, own)


def _nearest_classes(grouped: Grouped) -> NDArray[np.int64]:
    """Every class and that of the nearest mean, so that no class is without a machine."""
    means = np.stack([p.mean(axis=0) for p in grouped.prototypes])
    k = len(means)
    nearest = np.empty(k, dtype=np.int64)
    for block in slices(k, CLASSES_AT_ONCE):
        scores = class_scores(means[block], means[np.newaxis])
        scores[np.arange(len(scores)), np.arange(block.start, block.stop)] = -np.inf
        nearest[block] = scores.argmax(axis=1)
    return np.column_stack([np.arange(k), nearest])


def _near(grouped: Grouped, gap: float) -> Iterator[Scored]:
    """The scores of all rows, class after class, at the classes within the gap of their own.

    A class whose prototypes lie within R of their mean m has none within d of z where z is
    farther than d + R from m, nor, for a row z of a class with mean m', where m' is farther from m
    than d + R + |z − m'|.
    """
    rows, k = grouped.rows, grouped.rows.n_classes
    means = np.stack([p.mean(axis=0) for p in grouped.prototypes])
    off = (((p - m) ** 2).sum(axis=1) for p, m in zip(grouped.prototypes, means, strict=True))
    radius = np.sqrt([squares.max() for squares in off])
    prototypes = grouped.padded_prototypes
    square = np.einsum("ka,ka->k", means, means)
    for block in slices(k, CLASSES_AT_ONCE):
        squares = square[block, np.newaxis] + square - 2 * means[block] @ means.T
        for c, to_others in zip(range(block.start, block.stop), squares, strict=True):
            numbers = np.arange(*rows.class_start[c : c + 2])
            Z, own = grouped.Z[numbers], grouped.own_score[numbers]
            known = np.isfinite(own)
            if not known.any():
                continue
            off = np.sqrt(((Z - means[c]) ** 2).sum(axis=1))
            within = np.einsum("ra,ra->r", Z, Z) - 2 * own + 2 * gap
            reach = float((off + np.sqrt(np.maximum(within, 0.0)))[known].max())
            # Rounding in single precision must not cut off what is just within reach.
            classes = np.flatnonzero(to_others <= ROUNDING * (reach + radius) ** 2)
            scores = class_scores(Z, prototypes[:, classes])
            scores[:, np.searchsorted(classes, c)] = own
            yield Scored(numbers, classes, scores, own)
