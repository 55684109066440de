"""`predict_proba` and `calibrate`, for classifiers over machines of pairs of classes.

The mixin needs `classes_`, `machines_` and `n_jobs` once fitted, `_check_rows`, and `_winners`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_consistent_length
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from dcsvm.data.labels import label_vector
from dcsvm.estimators.state import snapshot
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.probability.calibration import Calibration
from dcsvm.probability.contests import Codes, Contests, Scores, contests
from dcsvm.probability.fitting import fit_calibration
from dcsvm.probability.left_out import Fold, LeftOut, weights_left_out
from dcsvm.probability.scores import route_with_scores_of, scores_of_all
from dcsvm.routing.elimination.rounds import Elimination

# How probabilities come about, for messages.
HOW = "fit with probability=True, or call calibrate(X, y) with rows that were not in fit"


def has_probabilities(estimator: Any) -> bool:
    """Whether a classifier has probabilities; an error says what to do where it has none."""
    if estimator.probability or "_calibration" in vars(estimator):
        return True
    raise AttributeError(f"{type(estimator).__name__} has no probabilities: {HOW}.")


class ProbabilityMixin:
    """Probabilities from the values of the machines among the likeliest classes."""

    classes_: NDArray[Any]
    machines_: Any
    n_jobs: int | None
    probability: bool
    _calibration: Calibration
    _left_out: LeftOut
    _check_rows: Callable[[Any], Any]

    @available_if(has_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of all classes for each row of X, in the order of `classes_`.

        They add up to one, none is zero, and the class predicted has the highest. They come from
        the values of the machines among the likeliest classes: sigmoids, drawn towards a common
        one, give probabilities within pairs, which are coupled as in :class:`sklearn.svm.SVC`. All
        this is fitted to rows that the machines were not trained on.
        """
        now = snapshot(self)
        X = now._check_rows(X)
        calibration = now._known_calibration()
        return calibration.probabilities(now._contests(now.machines_, X))

    @available_if(has_probabilities)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithms of `predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X)))

    def calibrate(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit probabilities to rows that were not in `fit`.

        This needs none of the training rows, and replaces probabilities that were there before.
        `fit` has no part in it: after another `fit` it is to be called again.

        Parameters
        ----------
        X : {array-like, sparse matrix, frame} of shape (n_samples, n_features)
            Rows that the classifier was not fitted to. Some hundreds are enough.
        y : array-like of shape (n_samples,)
            Their labels, all of them among `classes_`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self
            The same classifier, with probabilities.
        """
        now = snapshot(self)
        X = now._check_rows(X)
        codes = codes_of_known(now.classes_, y)
        check_consistent_length(X, codes)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        counts = np.flatnonzero(weight > 0)
        if len(counts) == 0:
            raise ValueError("calibrate needs rows with a weight above 0.")
        codes, weight = codes[counts], weight[counts]
        found = now._contests(now.machines_, X[counts])
        # A class that is not among these rows may be among others.
        of_classes = np.bincount(codes, weights=weight, minlength=len(now.classes_))
        frequency = np.asarray(1.0 + of_classes, dtype=np.float64)
        n_machines = now.machines_.n_machines
        self._calibration = fit_calibration(found, codes, weight, frequency, n_machines)
        return self

    def _known_calibration(self) -> Calibration:
        check_is_fitted(self)
        if "_calibration" not in vars(self):
            raise NotFittedError(f"{type(self).__name__} was fitted without probabilities: {HOW}.")
        return self._calibration

    @abstractmethod
    def _winners(self, machines: Any, X: Any) -> Codes:
        """The classes predicted for checked rows, by these machines in place of those fitted."""

    def _contests(self, machines: Any, X: Any) -> Contests:
        """What is compared at checked rows, by these machines in place of those fitted."""
        scores: Scores | None = None
        if _has_scores(self):
            scores = self._scores
        n_jobs = self.n_jobs if isinstance(machines, PairwiseMachines) else 1
        return contests(machines, X, self._winners(machines, X), scores, n_jobs)

    def _scores(self, X: Any) -> NDArray[np.floating[Any]]:
        found = scores_of_all(getattr(self, "_route", None), self.machines_, X)
        assert found is not None
        return found

    def _calibrate_by_left_out(self) -> None:
        """Fit probabilities to the rows that folds of `fit` have left out, or forget old ones."""
        left_out = vars(self).pop("_left_out", None)
        vars(self).pop("_calibration", None)
        if left_out is None:
            return
        rows, folds = left_out
        if not folds:
            folds = [Fold(self.machines_, np.empty(0, dtype=np.int64))]
            left_out = LeftOut(rows, folds)
        parts = [self._contests(machines, rows.take(numbers)) for machines, numbers in folds]
        found = Contests(*map(np.concatenate, zip(*parts, strict=True)))
        codes = rows.codes(np.concatenate([numbers for _, numbers in folds]))
        frequency = np.add.reduceat(rows.weight, rows.class_start[:-1])
        weight = weights_left_out(left_out)
        n_machines = self.machines_.n_machines
        self._calibration = fit_calibration(found, codes, weight, frequency, n_machines)


class RoutedProbabilityMixin(ProbabilityMixin):
    """The same where a route leads to the class predicted."""

    _route: Any

    def _winners(self, machines: Any, X: Any) -> Codes:
        route = self._route
        if machines is not self.machines_:
            route = route_with_scores_of(route, self.machines_)
        return np.asarray(route.predict(machines, X, self.n_jobs))


def _has_scores(estimator: Any) -> bool:
    return isinstance(getattr(estimator, "_route", None), Elimination)


def codes_of_known(classes: NDArray[Any], y: Any) -> Codes:
    """The index of every label among the classes learnt."""
    labels = label_vector(y)
    at = np.clip(np.searchsorted(classes, labels), 0, len(classes) - 1).astype(np.int64)
    unknown = labels[classes[at] != labels]
    if len(unknown):
        raise ValueError(
            f"y has the label {unknown.tolist()[0]!r}, which was not among those of fit."
        )
    return at
