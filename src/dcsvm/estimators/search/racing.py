"""Racing over folds: a point that cannot win any more is not evaluated in the folds left.

After a fold, a point is given up if it is behind the best one by more than chance explains. The
difference D of their scores has the standard error of the jackknife: of B blocks of test rows each
is left out in turn,

    s² = (B − 1) / B · Σ_b (D_b − mean D_b)²,

and D / s beyond the quantile `CONFIDENCE` of Student's distribution with B − 1 degrees of freedom
is more than chance. Rows are judged by both points, so that what makes a row hard for both is not
in D.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from dcsvm.estimators.search.scoring import Judged, Scoring

BLOCKS = 20
CONFIDENCE = 0.999
# Fewer folds leave nothing to save; fewer test rows in a fold hardly ever tell points apart.
FEWEST_FOLDS, FEWEST_ROWS = 3, 50


def scores_by_block(judged: Judged, scoring: Scoring) -> NDArray[np.float64]:
    """The score without each block of test rows in turn; then the score of all."""
    block = np.arange(len(judged.codes)) % BLOCKS
    if scoring.is_accuracy:
        weight = np.ones(len(block)) if judged.weight is None else judged.weight
        total = np.bincount(block, weight, BLOCKS)
        right = np.bincount(block, weight * (judged.codes == judged.voted), BLOCKS)
        counted = np.maximum(np.append(total.sum() - total, total.sum()), 1e-300)
        return np.asarray(np.append(right.sum() - right, right.sum()) / counted)
    without = [scoring.without(judged, block == b) for b in range(BLOCKS)]
    return np.array([*without, scoring.score(judged)])


def hopeless(by_block: Sequence[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Which points are behind the best by more than chance.

    `by_block` has for each point the mean over folds of its `scores_by_block`.
    """
    scores = np.array(by_block)
    best = np.nanargmax(np.where(np.isnan(scores).any(axis=1), -np.inf, scores[:, -1]))
    behind = scores[best] - scores
    without, of_all = behind[:, :-1], behind[:, -1]
    spread = without - without.mean(axis=1, keepdims=True)
    error = np.sqrt((BLOCKS - 1) / BLOCKS * np.square(spread).sum(axis=1))
    return np.asarray(of_all > stdtrit(BLOCKS - 1, CONFIDENCE) * error)
