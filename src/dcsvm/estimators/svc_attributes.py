"""The fitted attributes of scikit-learn's SVC, each computed when it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from dcsvm.machines.libsvm_layout import (
    classes_of_support,
    dual_coefficients,
    libsvm_order,
    support_vectors,
    weights_and_intercepts,
)
from dcsvm.machines.pairwise import PairwiseMachines


class SVCAttributesMixin:
    """What a fitted SVC has, for estimators with `machines_`.

    Equal rows of a class are one row here, whose weight is the sum of theirs. So of equal support
    vectors the first alone is in these attributes, with the coefficients of all of them.
    """

    machines_: PairwiseMachines

    @property
    def support_(self) -> NDArray[np.int32]:
        """The support vectors as rows of the X of `fit`, class after class."""
        check_is_fitted(self)
        origin = self.machines_.origin
        if origin is None:
            raise AttributeError(
                "Where the support vectors stood in the training set is not known. It is where the "
                "training set was in memory."
            )
        return origin[libsvm_order(self.machines_)].astype(np.int32)

    @property
    def support_vectors_(self) -> Any:
        """The support vectors, X[support_]; empty for a precomputed kernel."""
        check_is_fitted(self)
        if self.machines_.kernel.name == "precomputed":
            return np.empty((0, 0))
        return support_vectors(self.machines_)

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """The number of support vectors of each class."""
        check_is_fitted(self)
        machines = self.machines_
        counts = np.bincount(classes_of_support(machines), minlength=machines.n_classes)
        return counts.astype(np.int32)

    @property
    def dual_coef_(self) -> Any:
        """Coefficients of the support vectors in the k − 1 machines of their class, as in SVC.

        With `scaling` they are those of the standardised rows.
        """
        machines = self._all_machines("dual_coef_")
        return self._sign * dual_coefficients(machines)

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercepts of the machines; of the linear kernel, those that belong to `coef_`."""
        machines = self._all_machines("intercept_")
        if machines.kernel.name == "linear" and _is_scaled(machines):
            return self._sign * weights_and_intercepts(machines)[1]
        return self._sign * machines.intercept

    @property
    def coef_(self) -> Any:
        """Weights of the features in every machine of the linear kernel, read-only.

        Shape (n_machines, n_features). They are for features as `fit` was given them, also with
        `scaling`: X @ coef_.T + intercept_ are the values of the machines.
        """
        check_is_fitted(self)
        kernel = self.machines_.kernel.name
        if kernel != "linear":
            raise AttributeError(
                f"Only the linear kernel has weights of the features, and this is {kernel!r}: fit "
                "with kernel='linear', or use sklearn.inspection.permutation_importance."
            )
        weights = self._sign * weights_and_intercepts(self._all_machines("coef_"))[0]
        (weights.data if sparse.issparse(weights) else weights).flags.writeable = False
        return weights

    @property
    def fit_status_(self) -> int:
        """0 if the solver has converged in every machine, else 1."""
        check_is_fitted(self)
        return int(not self.machines_.converged.all())

    @property
    def _sign(self) -> float:
        """The values of the only machine of two classes are positive for the second in SVC."""
        return -1.0 if self.machines_.n_classes == 2 else 1.0

    def _all_machines(self, name: str) -> PairwiseMachines:
        check_is_fitted(self)
        if self.machines_.some_pairs is not None:
            raise AttributeError(
                f"{name} has a part for every pair of classes, but only the machines needed are "
                "trained: fit with machines='all'."
            )
        return self.machines_


def _is_scaled(machines: PairwiseMachines) -> bool:
    return machines.shared_scaling is not None or machines.pair_scaling is not None
