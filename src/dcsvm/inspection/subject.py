"""What is looked at: a fitted classifier that asks one machine after the other.

It may stand at the end of a scikit-learn pipeline, or be the best one of a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from dcsvm.data.labels import label_vector
from dcsvm.data.pairs import machine_of
from dcsvm.estimators.access import route_of, validated_rows
from dcsvm.estimators.prediction import RoutedPredictionMixin
from dcsvm.routing.route import NO_MACHINE
from dcsvm.table.prediction_table import PredictionTable


class Subject(NamedTuple):
    """A fitted classifier, and what its rows go through before they reach it."""

    classifier: Any
    before: Any  # a fitted pipeline, or None

    def transformed(self, X: Any) -> Any:
        """Rows as the classifier is given them."""
        return X if self.before is None else self.before.transform(X)

    def rows(self, X: Any) -> Any:
        """Checked rows, as the machines take them."""
        return validated_rows(self.classifier, self.transformed(X))

    @property
    def table(self) -> PredictionTable:
        """The All-Predictions table."""
        table = getattr(self.classifier, "table_", None)
        if table is None:
            raise TypeError(f"{type(self.classifier).__name__} has no All-Predictions table.")
        return table  # type: ignore[no-any-return]

    @property
    def labels(self) -> list[Any]:
        """The classes, as plain Python objects where there are such."""
        classes = self.classifier.classes_
        return list(classes) if classes.dtype.kind in "mM" else classes.tolist()

    @property
    def theta(self) -> float | None:
        """θ, where there is one."""
        theta = getattr(self.classifier, "theta_", getattr(self.classifier, "theta", None))
        return None if theta is None else float(theta)

    def names(self, class_names: Sequence[Any] | None) -> list[str]:
        """What the classes are called in text and pictures."""
        labels = self.labels
        class_names = labels if class_names is None else class_names
        if len(class_names) != len(labels):
            raise ValueError(
                f"class_names has {len(class_names)} names, but there are {len(labels)} classes."
            )
        return [" ".join(str(name).splitlines()) for name in class_names]

    def codes(self, y: Any) -> NDArray[np.int64]:
        """The places of labels among the classes."""
        distinct, code = np.unique(label_vector(y), return_inverse=True)
        labels = self.labels
        return np.array([place_of(labels, label) for label in distinct.tolist()])[code]

    def machine(self, classes: tuple[Any, Any] | None, observed: Observed) -> int:
        """The machine of two classes; by default the one asked most about the rows observed."""
        if classes is None:
            return int(times_asked(self.classifier, observed).argmax())
        labels = self.labels
        i, j = sorted(place_of(labels, c) for c in classes)
        if i == j:
            raise ValueError(f"A machine tells two classes apart, got {classes!r}.")
        return int(machine_of(i, j, len(labels)))


def look_at(clf: Any) -> Subject:
    """Find the classifier in what a user has passed, and check that it is fitted."""
    before = None
    while True:
        if hasattr(clf, "best_estimator_"):
            clf = clf.best_estimator_
        elif isinstance(clf, Pipeline):
            check_is_fitted(clf[-1])
            if len(clf.steps) > 1:
                before = clf[:-1] if before is None else Pipeline([*before.steps, *clf.steps[:-1]])
            clf = clf[-1]
        else:
            break
    if isinstance(clf, type) or not isinstance(clf, RoutedPredictionMixin):
        name = clf.__name__ if isinstance(clf, type) else type(clf).__name__
        raise TypeError(
            "This needs a fitted DCSVC, DivideAndConquerClassifier or DAGSVC, or a pipeline that "
            f"ends in one, not {name}."
        )
    check_is_fitted(clf)
    return Subject(clf, before)


def one_row(x: Any) -> Any:
    """A single row as a matrix, from a vector, a row of a frame, or a matrix of one row."""
    if hasattr(x, "to_frame") and getattr(x, "ndim", 2) == 1:
        return x.to_frame().T.infer_objects()
    if not sparse.issparse(x) and not hasattr(x, "columns"):
        x = np.asarray(x) if not hasattr(x, "shape") else x
        x = x.reshape(1, -1) if x.ndim == 1 else x
    if x.shape[0] != 1:
        raise ValueError(
            f"One row is looked at, but {x.shape[0]} were passed; explanations(clf, X) takes many."
        )
    return x


class Observed(NamedTuple):
    """Rows to count along the ways of a structure."""

    X: Any
    weight: NDArray[np.float64]
    codes: NDArray[np.int64] | None  # their classes, where known
    n_training_rows: int | None  # what they are drawn from; None where a user has passed them


def rows_to_count(subject: Subject, X: Any) -> Observed:
    """Rows that a user has passed, or else those kept by `fit`."""
    if X is not None:
        X = subject.rows(X)
        return Observed(X, np.ones(X.shape[0]), None, None)
    sample = getattr(subject.classifier, "_sample", None)
    if sample is None:
        raise ValueError(
            f"{type(subject.classifier).__name__} keeps no training rows: pass some as X=."
        )
    return Observed(sample.X, sample.weight, sample.codes, sample.n_rows)


def times_asked(clf: Any, observed: Observed) -> NDArray[np.float64]:
    """The weight of the rows about which each machine is asked."""
    asked = np.zeros(clf.machines_.n_machines)
    for round_ in route_of(clf).rounds(clf.machines_, observed.X, clf.n_jobs):
        known = round_.machine != NO_MACHINE
        np.add.at(asked, round_.machine[known], observed.weight[round_.rows[known]])
    return asked


def place_of(labels: list[Any], label: Any) -> int:
    """The place of a label among the classes."""
    if label not in labels:
        known = ", ".join(map(repr, labels[:10])) + (", …" if len(labels) > 10 else "")
        raise ValueError(f"There is no class {label!r}; the classes are {known}.")
    return labels.index(label)


def plain(label: Any) -> Any:
    """A label as JSON knows it."""
    if isinstance(label, np.generic) and label.dtype.kind in "biufUS":
        label = label.item()
    return label if isinstance(label, bool | int | float | str) else str(label)
