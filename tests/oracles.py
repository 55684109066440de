"""The method once more, slow and obvious, straight from its definitions.

Nothing here is shared with the package: tables are plain dictionaries, sets of classes are
Python sets, and kernels come from scikit-learn.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels


class Table:
    """C[(i, j)][l] = (fraction of l sent to i, fraction sent to j)."""

    def __init__(self, to_i, theta, to_j=None):
        to_j = 1.0 - to_i if to_j is None else to_j
        k = to_i.shape[1]
        self.k = k
        self.theta = theta
        self.C = {
            pair: [(to_i[m, c], to_j[m, c]) for c in range(k)]
            for m, pair in enumerate(combinations(range(k), 2))
        }

    def chi(self, x):
        return 1 if x > self.theta else 0

    def purity(self, i, j, S):
        C = self.C[i, j]
        return sum(self.chi(C[c][0]) + self.chi(C[c][1]) for c in S) - len(S)

    def balance(self, i, j, S):
        C = self.C[i, j]
        return min(
            len(S) - sum(self.chi(C[c][1]) for c in S), len(S) - sum(self.chi(C[c][0]) for c in S)
        )

    def score(self, i, j):
        C = self.C[i, j]
        return (C[i][0] + C[j][1]) / 2

    def choose(self, S, criterion):
        best = None
        for i, j in combinations(sorted(S), 2):
            P, B, score = self.purity(i, j, S), self.balance(i, j, S), self.score(i, j)
            key = (P, -B, -score) if criterion == "purity" else (-score, P, -B)
            if best is None or key < best[0]:
                best = (key, (i, j))
        return best[1]

    def lists(self, i, j, S):
        C = self.C[i, j]
        others = S - {i, j}
        list_i = {i} | {c for c in others if C[c][0] > self.theta}
        list_j = {j} | {c for c in others if C[c][1] > self.theta}
        return list_i, list_j

    def classify(self, sends_to_i, criterion):
        """The leaf of a row, and the machines asked on the way."""

        def visit(S, path):
            if len(S) == 1:
                return min(S), path
            i, j = self.choose(S, criterion)
            list_i, list_j = self.lists(i, j, S)
            return visit(list_i if sends_to_i[i, j] else list_j, [*path, (i, j)])

        return visit(set(range(self.k)), [])


def exact_table(table, theta):
    """A `Table` of whole counts in exact arithmetic."""
    counts = [[[Fraction(int(n)) for n in sides] for sides in row] for row in table.counts]
    to_i = np.array([[i / (i + j) for i, j in row] for row in counts], dtype=object)
    return Table(to_i, Fraction(str(theta)), 1 - to_i)


def platt(sends_to_i, k):
    """The winner when the first and the last candidate meet and the loser leaves."""
    candidates = list(range(k))
    while len(candidates) > 1:
        i, j = candidates[0], candidates[-1]
        candidates.remove(j if sends_to_i[i, j] else i)
    return candidates[0]


def vote(sends_to_i, k):
    """The class with most votes, of equals the first."""
    votes = [0] * k
    for (i, j), to_i in sends_to_i.items():
        votes[i if to_i else j] += 1
    return votes.index(max(votes))


def kernel_matrix(kernel, X, Y):
    """Kernel values between the rows of X and of Y, by scikit-learn, in float64."""
    parameters = {
        "linear": {},
        "poly": {"gamma": kernel.gamma, "coef0": kernel.coef0, "degree": kernel.degree},
        "rbf": {"gamma": kernel.gamma},
        "sigmoid": {"gamma": kernel.gamma, "coef0": kernel.coef0},
    }[kernel.name]
    return pairwise_kernels(dense64(X), dense64(Y), metric=kernel.name, **parameters)


def machine_values(machines, X):
    """Decision values of all machines, shape (n_rows, n_machines), in float64."""
    X, pool = dense64(X), dense64(machines.pool)
    if machines.shared_scaling is not None:
        X = (X - machines.shared_scaling.centre) * machines.shared_scaling.inverse_scale
    columns = []
    for m in range(machines.n_machines):
        own = slice(machines.start[m], machines.start[m + 1])
        x, s = X, pool[machines.index[own]]
        if machines.pair_scaling is not None:
            centre = machines.pair_scaling.centre[m]
            inverse = machines.pair_scaling.inverse_scale[m]
            x, s = (x - centre) * inverse, (s - centre) * inverse
        K = kernel_matrix(machines.kernel, x, s)
        columns.append(K @ machines.coef[own] + machines.intercept[m])
    return np.column_stack(columns)


def dense64(X):
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)


def by_pair(values_of_row, k):
    """The machine values of one row as {(i, j): value > 0}."""
    return {
        pair: bool(v > 0) for pair, v in zip(combinations(range(k), 2), values_of_row, strict=True)
    }


def solve_dual(K, sign, C, tol):
    """The dual of a binary problem by the most violating pair: signed variables and intercept."""
    b, gradient = np.zeros(len(K), dtype=K.dtype), -sign.astype(K.dtype)
    low, high = np.where(sign > 0, 0, -C), np.where(sign > 0, C, 0)
    while True:
        rising, falling = np.where(b < high, gradient, np.inf), np.where(b > low, gradient, -np.inf)
        i, j = rising.argmin(), falling.argmax()
        if falling[j] - rising[i] <= tol:
            return b, -(falling[j] + rising[i]) / 2
        curvature = max(K[i, i] + K[j, j] - 2 * K[i, j], 1e-12)
        step = min((falling[j] - rising[i]) / curvature, high[i] - b[i], b[j] - low[j])
        b[i] = high[i] if step == high[i] - b[i] else b[i] + step
        b[j] = low[j] if step == b[j] - low[j] else b[j] - step
        gradient += step * (K[i] - K[j])
