"""One classifier per pair of classes: fitting them, and fitting them further."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from inspect import signature
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import _raise_for_params, _routing_enabled, process_routing
from sklearn.utils.validation import _check_method_params

from dcsvm.data.labels import encode_labels, label_vector
from dcsvm.data.pairs import class_pairs
from dcsvm.machines.of_estimators import EstimatorMachines

# The labels of a classifier's two classes: 1 is the first of the pair.
OWN_LABELS = (0, 1)


def check_decides(estimator: Any) -> None:
    """Refuse what has no values and is neither classifier nor regressor, such as clusters."""
    has_values = hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")
    if not (has_values or is_classifier(estimator) or is_regressor(estimator)):
        raise ValueError(
            "The 'estimator' parameter must be a classifier or a regressor, or have "
            f"decision_function or predict_proba; {type(estimator).__name__} is none of these."
        )


def parameters_of(
    classifier: Any, method: str, sample_weight: Any, further: dict[str, Any]
) -> dict[str, Any]:
    """What a method of the binary classifier is given beside rows and labels.

    With scikit-learn's metadata routing that is what it requests; else `sample_weight` alone.
    """
    if sample_weight is not None:
        further = {**further, "sample_weight": sample_weight}
    if _routing_enabled():
        return dict(process_routing(classifier, method, **further).estimator[method])
    others = {name: value for name, value in further.items() if name != "sample_weight"}
    _raise_for_params(others, classifier, method)
    called = getattr(classifier.estimator, method)
    if further and "sample_weight" not in signature(called).parameters:
        raise ValueError(
            f"{type(classifier.estimator).__name__}.{method} takes no sample_weight. If a step "
            "inside it does, set_config(enable_metadata_routing=True) and request it there."
        )
    return further


def codes_among(classifier: Any, y: Any, classes: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """All classes, and the index of every label of a part of the rows among them."""
    known: Any = getattr(classifier, "classes_", None)
    if classes is None and known is None:
        raise ValueError("The first call of partial_fit needs `classes`: all that will ever come.")
    if classes is not None:
        given, _ = encode_labels(classes, type(classifier).__name__)
        if known is not None and not np.array_equal(given, known):
            raise ValueError(
                f"classes={given.tolist()!r} are not those of the first call: {known.tolist()!r}."
            )
        known = given
    labels = label_vector(y)
    codes = np.clip(np.searchsorted(known, labels), 0, len(known) - 1).astype(np.int64)
    unknown = labels[known[codes] != labels]
    if len(unknown):
        raise ValueError(
            f"Mini-batch contains {np.unique(labels)} while it must be subset of {known}: the "
            f"label {unknown.tolist()[0]!r} is not among `classes`."
        )
    return known, codes


def fit_pairs(
    estimator: Any,
    X: Any,
    codes: NDArray[np.int64],
    n_classes: int,
    params: dict[str, Any],
    n_jobs: int | None,
) -> EstimatorMachines:
    """Fit a clone of the estimator to every pair of classes."""
    pairwise = get_tags(estimator).input_tags.pairwise
    fitted = Parallel(n_jobs=n_jobs)(
        delayed(_fit_pair)(estimator, X, codes, i, j, pairwise, params)
        for i, j in class_pairs(n_classes).tolist()
    )
    estimators, members = zip(*fitted, strict=True)
    return EstimatorMachines(n_classes, estimators, members if pairwise else None)


def partial_fit_pairs(
    estimator: Any,
    known: Sequence[Any] | None,
    X: Any,
    codes: NDArray[np.int64],
    n_classes: int,
    params: dict[str, Any],
    n_jobs: int | None,
) -> EstimatorMachines:
    """Let copies of the known classifiers, or clones of the estimator, learn from more rows."""
    pairs = class_pairs(n_classes).tolist()
    before = [clone(estimator) for _ in pairs] if known is None else known
    fitted = Parallel(n_jobs=n_jobs)(
        delayed(_partial_fit_pair)(one, X, codes, i, j, params)
        for one, (i, j) in zip(before, pairs, strict=True)
    )
    return EstimatorMachines(n_classes, fitted, None)


def _fit_pair(
    estimator: Any,
    X: Any,
    codes: NDArray[np.int64],
    i: int,
    j: int,
    pairwise: bool,
    params: dict[str, Any],
) -> tuple[Any, NDArray[np.int64]]:
    """A classifier for i (its positive class) against j, and the rows it was fitted to."""
    members = np.flatnonzero((codes == i) | (codes == j))
    X_pair = X[np.ix_(members, members)] if pairwise else X[members]
    is_i = (codes[members] == i).astype(np.int64)
    own = _check_method_params(X, params, indices=members)
    return clone(estimator).fit(X_pair, is_i, **own), members


def _partial_fit_pair(
    known: Any, X: Any, codes: NDArray[np.int64], i: int, j: int, params: dict[str, Any]
) -> Any:
    """A copy, as others may share what is known; the same where no row is of the two classes."""
    members = np.flatnonzero((codes == i) | (codes == j))
    if len(members) == 0:
        return known
    is_i = (codes[members] == i).astype(np.int64)
    own = _check_method_params(X, params, indices=members)
    return deepcopy(known).partial_fit(X[members], is_i, classes=np.array(OWN_LABELS), **own)
