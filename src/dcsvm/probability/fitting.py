"""Fitting a `Calibration` to rows that the machines were not trained on.

The sigmoids of the machines come first. Sharpness t and spread ε then minimise the log loss

    −Σ w log((1 − ε) q_t(class of the row) + ε f(class)) − ω log ε + τ/2 (log t)²,

where q_t are the coupled probabilities, sharpened, zero for classes that are not compared, and f
the frequencies of the classes. The last two terms say that a class that was never seen to be right
where it was ruled out may be so all the same, and that sharpness is near one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dcsvm.data.some_pairs import NO_MACHINE
from dcsvm.probability.calibration import Calibration, LeftOutRows, sharpened
from dcsvm.probability.contests import Codes, Contests
from dcsvm.probability.coupling import couple
from dcsvm.probability.pair_sigmoids import PairRows, fit_pair_sigmoids

Floats = NDArray[np.float64]

# ω and τ: what so many rows say.
WEIGHT_OF_SPREAD, WEIGHT_OF_SHARPNESS = 0.1, 1.0
FIRST_SPREAD = 0.01
# Each part of the rows is judged by sigmoids that are fitted to the others.
PARTS = 2
# Of log t and of the log odds of ε.
BOUNDS = np.array([[-3.0, 3.0], [-16.0, 3.0]])
MOST_STEPS = 30
ENOUGH = 1e-5


def fit_calibration(
    found: Contests, codes: Codes, weight: Floats, frequency: Floats, n_machines: int
) -> Calibration:
    """Fit to rows of these classes and weights; `frequency` is that of the classes."""
    sigmoids = fit_pair_sigmoids(rows_of_pairs(found, codes, weight), n_machines)
    nothing = LeftOutRows(codes, np.empty(0), weight)
    calibration = Calibration(sigmoids, 1.0, FIRST_SPREAD, frequency / frequency.sum(), nothing)
    compared = np.log(couple(calibration.logits(found)))
    sharpness, spread = fit_mixture(compared, found.classes, codes, weight, calibration.frequency)
    calibration = replace(calibration, sharpness=sharpness, spread=spread)
    own = np.empty(len(codes))
    for part in parts_of(codes):
        others = np.setdiff1d(np.arange(len(codes)), part, assume_unique=True)
        pairs = rows_of_pairs(_rows_of(found, others), codes[others], weight[others])
        known = replace(calibration, sigmoids=fit_pair_sigmoids(pairs, n_machines))
        probability = known.probabilities(_rows_of(found, part))
        own[part] = probability[np.arange(len(part)), codes[part]]
    return replace(calibration, left_out=LeftOutRows(codes, own, weight))


def parts_of(codes: Codes) -> list[NDArray[np.int64]]:
    """Row numbers in `PARTS` parts, which have about the same share of every class."""
    order = np.argsort(codes, kind="stable")
    return [np.sort(order[p::PARTS]) for p in range(PARTS)]


def _rows_of(found: Contests, numbers: NDArray[np.int64]) -> Contests:
    return Contests(found.classes[numbers], found.machine[numbers], found.values[numbers])


def rows_of_pairs(found: Contests, codes: Codes, weight: Floats) -> PairRows:
    """The values of machines at rows of one of their classes."""
    m = found.classes.shape[1]
    first, second = np.triu_indices(m, 1)
    is_first = found.classes[:, first] == codes[:, np.newaxis]
    is_own = is_first | (found.classes[:, second] == codes[:, np.newaxis])
    row, pair = np.nonzero(is_own & (found.machine != NO_MACHINE))
    is_lower = is_first[row, pair] == found.first_is_lower[row, pair]
    return PairRows(
        found.machine[row, pair].astype(np.int64),
        found.values[row, pair],
        np.where(is_lower, 1.0, -1.0),
        weight[row],
    )


def fit_mixture(
    compared: Floats, classes: Codes, codes: Codes, weight: Floats, frequency: Floats
) -> tuple[float, float]:
    """Sharpness and spread, from the logarithms of coupled probabilities."""
    is_own = classes == codes[:, np.newaxis]
    is_compared = is_own.any(axis=1)
    loss = partial(
        _loss,
        compared=compared,
        own=np.where(is_compared, is_own.argmax(axis=1), -1),
        weight=weight,
        frequency=frequency[codes],
    )
    at = np.array([0.0, np.log(FIRST_SPREAD / (1 - FIRST_SPREAD))])
    value, gradient, hessian = loss(at)
    for _ in range(MOST_STEPS):
        step = _descent(gradient, hessian)
        for _ in range(MOST_STEPS):
            new = np.clip(at + step, *BOUNDS.T)
            new_value, new_gradient, new_hessian = loss(new)
            if new_value <= value:
                break
            step = step / 2
        else:
            break
        gain = value - new_value
        at, value, gradient, hessian = new, new_value, new_gradient, new_hessian
        if gain <= ENOUGH:
            break
    return float(np.exp(at[0])), float(expit(at[1]))


def _descent(gradient: Floats, hessian: Floats) -> Floats:
    """A Newton step that goes down, of at most one in each direction."""
    curvature, directions = np.linalg.eigh(hessian)
    floor = 1e-6 * max(float(np.abs(curvature).max()), 1e-12)
    step = -directions @ ((directions.T @ gradient) / np.maximum(np.abs(curvature), floor))
    return np.asarray(step / max(1.0, float(np.abs(step).max())))


def _loss(
    at: Floats,
    compared: Floats,
    own: NDArray[np.int64],
    weight: Floats,
    frequency: Floats,
) -> tuple[float, Floats, Floats]:
    """The loss at (log t, log odds of ε), its gradient, and its curvature."""
    sharpness, spread = float(np.exp(at[0])), float(expit(at[1]))
    q = sharpened(compared, sharpness)
    rows = np.arange(len(own))
    q_own = np.where(own >= 0, q[rows, own], 0.0)
    mean = (q * compared).sum(axis=1)
    ahead = np.where(own >= 0, compared[rows, own] - mean, 0.0)  # d log q_own / dt
    variance = (q * compared**2).sum(axis=1) - mean**2
    p = (1 - spread) * q_own + spread * frequency
    share = (1 - spread) * q_own / p
    # Derivatives of log p.
    d_t = share * ahead
    d_tt = share * (ahead**2 - variance) - d_t**2
    slope = spread * (1 - spread)  # dε / d log odds
    by_spread = (frequency - q_own) / p
    d_e = by_spread * slope
    d_ee = by_spread * slope * (1 - 2 * spread) - d_e**2
    d_te = -slope * q_own * ahead / p - d_t * d_e
    value = -(weight * np.log(p)).sum() - WEIGHT_OF_SPREAD * np.log(spread)
    value += WEIGHT_OF_SHARPNESS * at[0] ** 2 / 2
    # From t to log t.
    gradient = -np.array([(weight * d_t).sum() * sharpness, (weight * d_e).sum()])
    curve_t = (weight * d_tt).sum() * sharpness**2 + (weight * d_t).sum() * sharpness
    mixed = (weight * d_te).sum() * sharpness
    hessian = -np.array([[curve_t, mixed], [mixed, (weight * d_ee).sum()]])
    gradient += [WEIGHT_OF_SHARPNESS * at[0], -WEIGHT_OF_SPREAD * (1 - spread)]
    hessian += np.diag([WEIGHT_OF_SHARPNESS, WEIGHT_OF_SPREAD * spread * (1 - spread)])
    return float(value), gradient, hessian
