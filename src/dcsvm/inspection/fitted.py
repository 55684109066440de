"""`FittedClassifier`: the classifier that is inspected, and the rows that are counted for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from dcsvm.data.labels import label_vector
from dcsvm.data.some_pairs import NO_MACHINE
from dcsvm.estimators.access import route_of, sample_of, validated_rows
from dcsvm.estimators.prediction import RoutedPredictionMixin
from dcsvm.routing.route import Round
from dcsvm.table.prediction_table import PredictionTable


class CountedRows(NamedTuple):
    """Validated rows that are counted along their paths."""

    X: Any
    weight: NDArray[np.float64]
    codes: NDArray[np.int64] | None = None  # their classes, where known
    n_training_rows: int | None = None  # None where the user has passed the rows


class FittedClassifier(NamedTuple):
    """A fitted classifier, and the steps of its pipeline before it."""

    classifier: Any
    preprocessing: Any = None  # a fitted pipeline, or None

    def transformed(self, X: Any) -> Any:
        """The output of the preprocessing for X."""
        return X if self.preprocessing is None else self.preprocessing.transform(X)

    def validated_rows(self, X: Any) -> Any:
        """X transformed and validated, as the machines take it."""
        return validated_rows(self.classifier, self.transformed(X))

    @property
    def table(self) -> PredictionTable:
        """The All-Predictions table."""
        table = getattr(self.classifier, "table_", None)
        if table is None:
            advice = ": fit it with machines='all'" if self.some_machines else ""
            raise TypeError(
                f"This {type(self.classifier).__name__} has no All-Predictions table{advice}."
            )
        return table  # type: ignore[no-any-return]

    @property
    def some_machines(self) -> bool:
        """Whether only the machines needed are trained."""
        return getattr(self.classifier.machines_, "some_pairs", None) is not None

    @property
    def labels(self) -> list[Any]:
        """The classes, as Python objects unless they are dates."""
        classes = self.classifier.classes_
        return list(classes) if classes.dtype.kind in "mM" else classes.tolist()

    @property
    def theta(self) -> float | None:
        """θ, or None for a classifier without a threshold."""
        theta = getattr(self.classifier, "theta_", getattr(self.classifier, "theta", None))
        return None if theta is None else float(theta)

    def names(self, class_names: Sequence[Any] | None) -> list[str]:
        """The names of the classes in text and pictures."""
        labels = self.labels
        class_names = labels if class_names is None else class_names
        if len(class_names) != len(labels):
            raise ValueError(
                f"class_names has {len(class_names)} names, but there are {len(labels)} classes."
            )
        return [" ".join(str(name).splitlines()) for name in class_names]

    def codes(self, y: Any) -> NDArray[np.int64]:
        """The index in `classes_` of each label."""
        distinct, code = np.unique(label_vector(y), return_inverse=True)
        labels = self.labels
        return np.array([class_index(labels, label) for label in distinct.tolist()])[code]

    def counted_rows(self, X: Any) -> CountedRows:
        """The rows of X, each with weight 1, or if X is None the training rows kept by `fit`."""
        if X is not None:
            X = self.validated_rows(X)
            return CountedRows(X, np.ones(X.shape[0]))
        sample = sample_of(self.classifier)
        if sample is None:
            name = type(self.classifier).__name__
            raise ValueError(f"{name} keeps no training rows: pass some as X=.")
        return CountedRows(sample.X, sample.weight, sample.codes, sample.n_rows)

    def labelled_rows(self, X: Any, y: Any) -> CountedRows:
        """Like `counted_rows`, with the classes of the rows."""
        if (X is None) != (y is None):
            raise ValueError("Pass both X and y, or neither.")
        rows = self.counted_rows(X)
        return rows if y is None else rows._replace(codes=self.codes(y))

    def rounds(self, X: Any) -> Iterator[Round]:
        """All rounds of validated rows, those of each row in order."""
        clf = self.classifier
        rounds: Iterator[Round] = route_of(clf).rounds(clf.machines_, X, clf.n_jobs)
        return rounds

    def machine_usage(self, rows: CountedRows) -> NDArray[np.float64]:
        """For each machine, the weight of the rows for which it is evaluated."""
        usage = np.zeros(self.classifier.machines_.n_machines)
        for round_ in self.rounds(rows.X):
            evaluated = round_.machine != NO_MACHINE
            np.add.at(usage, round_.machine[evaluated], rows.weight[round_.rows[evaluated]])
        return usage

    def machine_index(self, classes: tuple[Any, Any] | None, rows: CountedRows) -> int:
        """The machine of two classes; if None, the machine evaluated for most of the rows."""
        if classes is None:
            return int(self.machine_usage(rows).argmax())
        labels = self.labels
        i, j = sorted(class_index(labels, label) for label in classes)
        if i == j:
            raise ValueError(f"A machine tells two classes apart, got {classes!r}.")
        machine = int(self.classifier.machines_.machine_of(i, j))
        if machine == NO_MACHINE:
            raise ValueError(
                f"{labels[i]!r} and {labels[j]!r} have no machine: only those needed are trained."
            )
        return machine


def last_of_pipeline(model: Any) -> tuple[Any, Any]:
    """The model in which a pipeline, a search, or a pipeline within a search ends.

    Beside it stands a pipeline of the steps before it, or None.
    """
    steps: list[Any] = []
    while hasattr(model, "best_estimator_") or isinstance(model, Pipeline):
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
            continue
        check_is_fitted(model[-1])
        steps += model.steps[:-1]
        model = model[-1]
    return model, Pipeline(steps) if steps else None


def find_classifier(model: Any) -> FittedClassifier:
    """The fitted classifier in a pipeline, a search, or a pipeline within a search."""
    model, before = last_of_pipeline(model)
    if isinstance(model, type) or not isinstance(model, RoutedPredictionMixin):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise TypeError(
            "This needs a fitted DCSVC, DivideAndConquerClassifier or DAGSVC, or a pipeline that "
            f"ends in one, not {name}."
        )
    check_is_fitted(model)
    return FittedClassifier(model, before)


def one_row(x: Any) -> Any:
    """A matrix of one row, from a vector, a row of a frame, or a matrix of one row."""
    if hasattr(x, "to_frame") and getattr(x, "ndim", 2) == 1:
        return x.to_frame().T.infer_objects()
    if not sparse.issparse(x) and not hasattr(x, "columns"):
        x = np.asarray(x) if not hasattr(x, "shape") else x
        x = x.reshape(1, -1) if x.ndim == 1 else x
    if x.shape[0] != 1:
        raise ValueError(
            f"A single row is expected, but {x.shape[0]} were passed; explanations(clf, X) takes "
            "many."
        )
    return x


def class_index(labels: list[Any], label: Any) -> int:
    """The index of a label among the classes, or an error that lists the classes."""
    if label not in labels:
        known = ", ".join(map(repr, labels[:10])) + (", …" if len(labels) > 10 else "")
        raise ValueError(f"There is no class {label!r}; the classes are {known}.")
    return labels.index(label)


def json_label(label: Any) -> Any:
    """A label as a value of JSON: a number, a truth value or a string."""
    if isinstance(label, np.generic) and label.dtype.kind in "biufUS":
        label = label.item()
    return label if isinstance(label, bool | int | float | str) else str(label)
