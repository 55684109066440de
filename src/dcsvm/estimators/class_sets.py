"""`predict_set` and `predict_top`, for classifiers with probabilities."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_scalar
from sklearn.utils.metaestimators import available_if

from dcsvm.estimators.probabilities import ProbabilityMixin, has_probabilities
from dcsvm.estimators.state import snapshot
from dcsvm.probability.sets import most_probable, sets_of, thresholds

# With more classes than this, indicator matrices are sparse.
MOST_DENSE = 100


class ClassSetMixin(ProbabilityMixin):
    """Sets of classes, and the likeliest classes, from probabilities."""

    @available_if(has_probabilities)
    def predict_set(
        self,
        X: Any,
        confidence: float = 0.95,
        *,
        class_conditional: bool = False,
        allow_empty: bool = True,
        output: Literal["indicator", "labels"] = "indicator",
    ) -> Any:
        """For each row a set of classes that holds the right one with a chance of `confidence`.

        The sets are conformal: they have all classes whose probability is not among the lowest
        that the right classes of rows left out had, or of the rows given to `calibrate`. The chance
        is at least `confidence` for rows like these, however few there are and whatever the
        probabilities are worth. Good probabilities make small sets. With so few rows that nothing
        can be said, the sets have all classes.

        Where the classifier is right more often than is asked for, some sets are empty: those of
        rows unlike the others, or between classes. With `allow_empty=False` they have the
        class predicted, and the sets hold the right class more often than is asked for.

        Parameters
        ----------
        X : {array-like, sparse matrix, frame} of shape (n_samples, n_features)
            Rows to predict.
        confidence : float in (0, 1), default=0.95
            The chance that the right class is in the set.
        class_conditional : bool, default=False
            Whether the chance is to be that for the rows of each class, rather than for all rows
            together. A class with fewer than 1 / (1 − confidence) − 1 rows left out is treated as
            without it.
        allow_empty : bool, default=True
            Whether sets can be empty.
        output : {"indicator", "labels"}, default="indicator"
            Whether the sets are rows of a matrix or lists.

        Returns
        -------
        sets : ndarray or csr_array of bool of shape (n_samples, n_classes), or list of ndarrays
            Which of `classes_` are in the set of each row, sparse for more than 100 classes; or the
            labels of each set, the likeliest first.
        """
        check_scalar(
            confidence, "confidence", Real, min_val=0, max_val=1, include_boundaries="neither"
        )
        if output not in ("indicator", "labels"):
            raise ValueError(f"output must be 'indicator' or 'labels', not {output!r}.")
        now = snapshot(self)
        probability = now.predict_proba(X)
        left_out = now._known_calibration().left_out
        least = thresholds(left_out, len(now.classes_), float(confidence), class_conditional)
        found = sets_of(probability, least, allow_empty)
        if output == "indicator":
            return sparse.csr_array(found) if len(now.classes_) > MOST_DENSE else found
        order = most_probable(probability, len(now.classes_))
        return [
            now.classes_[in_order[is_in[in_order]]]
            for in_order, is_in in zip(order, found, strict=True)
        ]

    @available_if(has_probabilities)
    def predict_top(self, X: Any, n: int = 5) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """The n likeliest classes of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix, frame} of shape (n_samples, n_features)
            Rows to predict.
        n : int, default=5
            How many classes; at most all.

        Returns
        -------
        labels : ndarray of shape (n_samples, n)
            The classes, the likeliest first, which is that of `predict`.
        probabilities : ndarray of shape (n_samples, n)
            Their probabilities.
        """
        check_scalar(n, "n", Integral, min_val=1)
        now = snapshot(self)
        probability = now.predict_proba(X)
        best = most_probable(probability, int(n))
        return now.classes_[best], np.take_along_axis(probability, best, axis=1)
