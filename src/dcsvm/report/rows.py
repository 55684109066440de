"""The rows of a report: which are drawn, their classes, and which can be followed one by one."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, check_consistent_length, check_random_state
from sklearn.utils.validation import _num_samples

from dcsvm.data.labels import is_missing, is_text, label_vector
from dcsvm.estimators.access import validated_rows
from dcsvm.inspection.fitted import FittedClassifier

UNLABELLED = -1
# So many pairs of classes that are confused have a row that can be followed.
MOST_PAIRS = 40
# So many classes that are not in the training data have names of their own; more share one.
MOST_UNSEEN = 20


class ReportRows(NamedTuple):
    """The rows of a report, drawn from those passed by the user."""

    place: NDArray[np.int64]  # the index of each among all rows passed
    n_all: int
    original: Any  # as passed
    inputs: Any  # after the preprocessing of a pipeline
    truth: NDArray[np.int64] | None  # indices into `names`, or UNLABELLED
    names: list[str]  # of the model's classes, then of those not in the training data

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.place)


def draw_rows(
    fitted: FittedClassifier, X: Any, y: Any, max_rows: int | None, random_state: Any
) -> ReportRows:
    """Validate the rows, at most `max_rows` drawn from them."""
    if max_rows is not None and (not isinstance(max_rows, Integral) or max_rows < 1):
        raise ValueError(
            f"max_rows must be None or a whole number of at least 1, not {max_rows!r}."
        )
    check_consistent_length(X, y)
    X = _indexable(X)
    n_all = _num_samples(X)
    if n_all == 0:
        raise ValueError("A report needs at least one row, but X has none.")
    place = np.arange(n_all)
    if max_rows is not None and n_all > max_rows:
        place = np.sort(check_random_state(random_state).permutation(n_all)[:max_rows])
        X = _safe_indexing(X, place)
    names = [str(label) for label in fitted.labels]
    truth = None
    if y is not None:
        truth, unseen = _encode(fitted, label_vector(y)[place])
        names += unseen
    inputs = _indexable(fitted.transformed(X))
    validated_rows(fitted.classifier, inputs)  # raises an error if X does not fit
    return ReportRows(place, n_all, X, inputs, truth, names)


def _indexable(X: Any) -> Any:
    """A sparse matrix in a format that can be indexed."""
    return X.tocsr() if sparse.issparse(X) else X


def _encode(
    fitted: FittedClassifier, labels: NDArray[Any]
) -> tuple[NDArray[np.int64] | None, list[str]]:
    """The class of each label, and the names of classes that are not in the training data."""
    classes = fitted.classifier.classes_
    if classes.dtype.kind in "mM":
        labels = labels.astype(classes.dtype)
    values = list(labels) if labels.dtype.kind in "mM" else labels.tolist()
    missing = [is_missing(label) or label != label for label in values]
    if all(missing):
        return None, []
    number = {label: c for c, label in enumerate(fitted.labels)}
    there = [label for label, gone in zip(values, missing, strict=True) if not gone]
    unseen = list(dict.fromkeys(label for label in there if label not in number))
    if is_text(np.array(there[:1], dtype=object)) != is_text(classes) or len(unseen) == len(
        set(there)
    ):
        raise ValueError(
            f"y has labels like {there[0]!r}, but the classes of the model are like "
            f"{fitted.labels[0]!r}."
        )
    lumped = len(unseen) > MOST_UNSEEN
    for t, label in enumerate(unseen):
        number[label] = len(fitted.labels) + (0 if lumped else t)
    codes = [
        UNLABELLED if gone else number[label] for label, gone in zip(values, missing, strict=True)
    ]
    names = ["(not in training)"] if lumped else [str(label) for label in unseen]
    return np.array(codes, dtype=np.int64), names


def choose_rows(
    truth: NDArray[np.int64] | None,
    predicted: NDArray[np.int64],
    most: int,
    random: np.random.RandomState,
) -> NDArray[np.int64]:
    """Up to `most` rows to be followed one by one, in ascending order.

    First come one row of each true and each predicted class, then one of each of the pairs
    confused most, then wrongly predicted rows for half of the remaining number, then rows drawn
    from all.
    """
    n = len(predicted)
    if n <= most:
        return np.arange(n)
    order = random.permutation(n)
    wrong = np.zeros(n, dtype=bool)
    sides = [predicted]
    if truth is not None:
        wrong = (truth != predicted) & (truth != UNLABELLED)
        sides.append(truth)
    chosen: dict[int, None] = {}
    for codes in sides:
        first = np.unique(codes[order], return_index=True)[1]
        chosen.update(dict.fromkeys(order[first].tolist()))
    chosen.update(dict.fromkeys(_one_of_each_pair(truth, predicted, order[wrong[order]])))
    room = max(0, most - len(chosen))
    chosen.update(dict.fromkeys(order[wrong[order]][: (room + 1) // 2].tolist()))
    for row in order.tolist():
        if len(chosen) >= most:
            break
        chosen[row] = None
    return np.sort(np.array(list(chosen)[:most], dtype=np.int64))


def _one_of_each_pair(
    truth: NDArray[np.int64] | None, predicted: NDArray[np.int64], wrong: NDArray[np.int64]
) -> list[int]:
    """The first wrong row of each of the pairs confused most."""
    if truth is None or len(wrong) == 0:
        return []
    pairs = np.column_stack([truth[wrong], predicted[wrong]])
    _, first, counts = np.unique(pairs, axis=0, return_index=True, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:MOST_PAIRS]
    return wrong[first[most]].tolist()  # type: ignore[no-any-return]
