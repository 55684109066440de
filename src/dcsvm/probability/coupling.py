"""Probabilities of several classes from those of each pair of them.

With r_ab the probability of a, if the class is a or b, the coupling of Wu, Lin and Weng minimises

    Σ_a Σ_b (r_ba p_a − r_ab p_b)²    subject to Σ_a p_a = 1.

Its matrix Q has Q_aa = Σ_b r_ba² and Q_ab = −r_ba r_ab, so that p is proportional to Q⁻¹ 1. All
that is off the diagonal is negative and Q has no negative eigenvalue: with a little added to its
diagonal it is an M-matrix, whose inverse is positive, and so is p.

T.-F. Wu, C.-J. Lin and R. C. Weng, "Probability Estimates for Multi-class Classification by
Pairwise Coupling", JMLR 5, 2004.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dcsvm.data.pairs import class_pairs

Floats = NDArray[np.float64]

# Probabilities within pairs are at least this.
LEAST = 1e-7
DIAGONAL = 1e-10


def couple(logits: Floats) -> Floats:
    """Probabilities of shape (n, m) from the log odds of all pairs of m classes."""
    n, n_pairs = logits.shape
    m = (1 + int(np.sqrt(1 + 8 * n_pairs))) // 2
    a, b = class_pairs(m).T
    first = np.clip(expit(logits), LEAST, 1 - LEAST)
    second = 1 - first
    Q = np.zeros((n, m, m))
    Q[:, a, b] = Q[:, b, a] = -first * second
    for c in range(m):
        against = np.hstack([second[:, a == c], first[:, b == c]])
        Q[:, c, c] = (against**2).sum(axis=1) + DIAGONAL
    x = np.linalg.solve(Q, np.ones((n, m, 1)))[:, :, 0]
    x = np.maximum(x, np.finfo(np.float64).tiny)
    return np.asarray(x / x.sum(axis=1, keepdims=True))
