"""Machines trained by libsvm, in double precision, as scikit-learn's SVC on a pair of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.svm import SVC

from dcsvm._util.threads import n_threads, run_long
from dcsvm.training.caching import cache_megabytes
from dcsvm.training.problems import PairFit, PairProblems, TrainingParameters


class _PairSVC(SVC):
    """SVC that does not warn of failed convergence: estimators warn once for all machines."""

    def _warn_from_fit_status(self) -> None:
        pass


def train_by_libsvm(
    problems: PairProblems, machines: list[int], parameters: TrainingParameters
) -> dict[int, PairFit]:
    """Train these machines, in the given order."""
    kernel, rows = problems.kernel, problems.rows
    pairs = problems.pairs
    svc = _PairSVC(
        kernel=kernel.name if kernel.is_built_in else "precomputed",
        C=1.0,
        degree=kernel.degree,
        gamma=kernel.gamma,
        coef0=kernel.coef0,
        tol=parameters.tol,
        cache_size=cache_megabytes(parameters.cache_size) / n_threads(parameters.n_jobs),
        max_iter=min(parameters.max_iter, np.iinfo(np.int32).max),
    ).get_params()

    def train(m: int) -> PairFit:
        i, j = pairs[m]
        of_pair = rows.of_pair(i, j)
        of_pair = of_pair[problems.C[of_pair] > 0]
        is_j = (of_pair >= rows.class_start[j]).astype(np.int64)
        if is_j.all() or not is_j.any():
            return _without_rows_of_one_class(is_j)
        X = _solver_input(problems, of_pair, m)
        with config_context(assume_finite=True, skip_parameter_validation=True):
            fit = _PairSVC(**svc).fit(X, is_j, sample_weight=problems.C[of_pair])
        dual = fit.dual_coef_.toarray() if sparse.issparse(fit.dual_coef_) else fit.dual_coef_
        # SVC's values are positive for its second class, ours for the first.
        return PairFit(
            of_pair[fit.support_],
            -dual[0],
            -float(fit.intercept_[0]),
            int(fit.n_iter_[0]),
            fit.fit_status_ == 0,
        )

    trained = run_long(
        train, machines, parameters.n_jobs, done=lambda m: parameters.on_trained([m])
    )
    return dict(zip(machines, trained, strict=True))


def _without_rows_of_one_class(is_j: NDArray[np.int64]) -> PairFit:
    """The machine of a pair of which only rows of one class count, or none."""
    intercept = 0.0 if len(is_j) == 0 else 1.0 - 2.0 * float(is_j[0])
    return PairFit(np.empty(0, dtype=np.int64), np.empty(0), intercept, 0, True)


def _solver_input(problems: PairProblems, of_pair: NDArray[np.int64], m: int) -> Any:
    """The rows of a pair, or their kernel matrix, in the form that libsvm takes."""
    rows, kernel = problems.rows, problems.kernel
    if kernel.name == "precomputed":
        assert rows.place is not None
        return rows.X[np.ix_(rows.place[of_pair], rows.place[of_pair])]
    X = rows.X[of_pair]
    if kernel.is_built_in:
        X = X.astype(np.float64)
    if problems.scaling is not None:
        X = problems.scaling.apply(X, m)
    if not kernel.is_built_in:
        return kernel.gram(X, X)
    if sparse.issparse(X):
        # libsvm takes 32-bit indices, which suffice for the rows of one pair.
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X
