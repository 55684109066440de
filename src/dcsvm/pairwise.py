"""Training: every pair of classes gives one machine, fitted to the rows of the two alone.

Each machine is scikit-learn's (that is, libsvm's) C-SVC on its pair. They are trained side
by side in threads, the largest first, so that none of them is left over at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.svm import SVC

from dcsvm.kernels import TRANSLATION_INVARIANT, Kernel, resolve_kernel
from dcsvm.machines import PairwiseMachines
from dcsvm.pairs import class_pairs
from dcsvm.parallel import n_threads, run_long
from dcsvm.rows import TrainingRows
from dcsvm.scaling import Standardisation, global_standardisation, pair_standardisation


@dataclass(frozen=True)
class TrainingParameters:
    """What an estimator's parameters say about the training of its machines."""

    C: float
    kernel: str | Callable[[Any, Any], Any]
    degree: int
    gamma: str | float
    coef0: float
    scaling: str | None
    tol: float
    cache_size: float  # MB, all threads together
    max_iter: int
    n_jobs: int | None


class _Fit(NamedTuple):
    """One trained machine."""

    support: NDArray[np.int64]  # training rows
    coef: NDArray[np.float64]
    intercept: float
    n_iter: int
    converged: bool


class _PairSVC(SVC):
    """SVC that leaves it to the whole fit to warn of machines that did not converge."""

    def _warn_from_fit_status(self) -> None:
        pass


def train_machines(
    rows: TrainingRows, class_weight: NDArray[np.float64], parameters: TrainingParameters
) -> PairwiseMachines:
    """Train all pairs. `class_weight` multiplies C for the rows of each class."""
    _check_scaling(rows, parameters)
    shared = pair = None
    if parameters.scaling == "global":
        shared = global_standardisation(rows)
        rows = replace(rows, X=shared.apply(rows.X))
    elif parameters.scaling == "pair":
        pair = pair_standardisation(rows)
    kernel = resolve_kernel(
        parameters.kernel,
        parameters.gamma,
        parameters.degree,
        parameters.coef0,
        rows.X,
        rows.weight,
        unit_variance=parameters.scaling is not None,
    )
    fits = _train_pairs(rows, class_weight, kernel, pair, parameters)
    return _assemble(rows, kernel, fits, shared, pair)


def _check_scaling(rows: TrainingRows, parameters: TrainingParameters) -> None:
    if parameters.scaling is None:
        return
    if parameters.kernel == "precomputed":
        raise ValueError(
            f"scaling={parameters.scaling!r} cannot be applied to a precomputed kernel: "
            "standardise the features before computing it, and set scaling=None."
        )
    if sparse.issparse(rows.X) and parameters.kernel not in TRANSLATION_INVARIANT:
        raise ValueError(
            f"scaling={parameters.scaling!r} with this kernel needs centred features, and "
            "centring would fill a sparse matrix. Pass X.toarray(), use kernel='rbf' or "
            "'linear' (which need no centring), or set scaling=None."
        )


def _train_pairs(
    rows: TrainingRows,
    class_weight: NDArray[np.float64],
    kernel: Kernel,
    scaling: Standardisation | None,
    parameters: TrainingParameters,
) -> list[_Fit]:
    pairs = class_pairs(rows.n_classes)
    C_per_row = rows.weight * np.repeat(class_weight, np.diff(rows.class_start))
    svc = _PairSVC(
        C=parameters.C,
        kernel=kernel.name if kernel.is_built_in else "precomputed",
        degree=kernel.degree,
        gamma=kernel.gamma,
        coef0=kernel.coef0,
        tol=parameters.tol,
        cache_size=parameters.cache_size / n_threads(parameters.n_jobs),
        max_iter=parameters.max_iter,
    ).get_params()

    def train(m: int) -> _Fit:
        i, j = pairs[m]
        of_pair = rows.of_pair(i, j)
        labels = (of_pair >= rows.class_start[j]).astype(np.int64)
        X = _solver_input(rows, of_pair, kernel, scaling, m)
        with config_context(assume_finite=True, skip_parameter_validation=True):
            fit = _PairSVC(**svc).fit(X, labels, sample_weight=C_per_row[of_pair])
        dual = fit.dual_coef_.toarray() if sparse.issparse(fit.dual_coef_) else fit.dual_coef_
        # SVC's values are positive for its second class, ours for the first.
        return _Fit(
            of_pair[fit.support_],
            -dual[0],
            -float(fit.intercept_[0]),
            int(fit.n_iter_[0]),
            fit.fit_status_ == 0,
        )

    sizes = np.diff(rows.class_start)[pairs].sum(axis=1)
    largest_first = np.argsort(-sizes, kind="stable")
    fits = run_long(train, largest_first.tolist(), parameters.n_jobs)
    return [fits[place] for place in np.argsort(largest_first)]


def _solver_input(
    rows: TrainingRows,
    of_pair: NDArray[np.int64],
    kernel: Kernel,
    scaling: Standardisation | None,
    m: int,
) -> Any:
    """The rows of a pair, or their kernel matrix, as libsvm takes them."""
    if rows.place is not None:
        return rows.X[np.ix_(rows.place[of_pair], rows.place[of_pair])]
    X = rows.X[of_pair]
    if kernel.is_built_in:
        X = X.astype(np.float64)
    if scaling is not None:
        X = scaling.apply(X, m)
    if not kernel.is_built_in:
        return kernel.gram(X, X)
    if sparse.issparse(X):
        # libsvm counts in 32 bits; the rows of one pair have room in them.
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _assemble(
    rows: TrainingRows,
    kernel: Kernel,
    fits: list[_Fit],
    shared_scaling: Standardisation | None,
    pair_scaling: Standardisation | None,
) -> PairwiseMachines:
    """Put the machines together over the distinct rows that support any of them."""
    support = np.concatenate([fit.support for fit in fits])
    distinct, index = np.unique(support, return_inverse=True)
    return PairwiseMachines(
        n_classes=rows.n_classes,
        kernel=kernel,
        pool=rows.X[distinct] if rows.place is None else rows.place[distinct],
        start=np.cumsum([0] + [len(fit.support) for fit in fits], dtype=np.int64),
        index=index.astype(np.int32),
        coef=np.concatenate([fit.coef for fit in fits]),
        intercept=np.array([fit.intercept for fit in fits]),
        n_iter=np.array([fit.n_iter for fit in fits], dtype=np.int64),
        converged=np.array([fit.converged for fit in fits]),
        shared_scaling=shared_scaling,
        pair_scaling=pair_scaling,
    )
