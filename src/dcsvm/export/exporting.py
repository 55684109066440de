"""`Exported`: a fitted classifier or pipeline as constants and tables, whatever they become."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from dcsvm.estimators.base import BasePairwiseSVC
from dcsvm.export.errors import ExportError
from dcsvm.export.machines import MachineTables, Tables, check_kernel, machine_tables, real_of
from dcsvm.export.preprocessing import EntryMap, Stages, stages_of
from dcsvm.export.rules import MAX_NODES, rule_of, rule_tables
from dcsvm.export.support import SUPPORT

REALS: dict[str, type[np.floating[Any]]] = {"float": np.float32, "double": np.float64}
PRECISIONS = ("auto", *REALS)


@dataclass(frozen=True)
class Exported:
    """All that a program needs to predict as a classifier does."""

    real: str  # a key of REALS
    n_features: int
    feature_names: list[str] | None
    classes: list[Any]
    stages: Stages  # the last map makes rows ready for the machines
    machines: MachineTables
    rule: str
    score_kind: str
    most_decisions: int
    tables: Tables
    constants: dict[str, float]
    classifier: Any
    preprocessing: Any

    @property
    def table_bytes(self) -> int:
        """Bytes of all tables but those that only paths need."""
        return sum(table.nbytes for name, table in self.tables.items() if name != "node_candidates")

    @property
    def as_stored(self) -> Any:
        """The model with its numbers as they are stored, to measure what rounding changes."""
        if self.machines.stored is None:
            classifier = self.classifier
        else:
            classifier = copy(self.classifier)
            classifier.machines_ = self.machines.stored
        if self.preprocessing is None:
            return classifier
        return Pipeline([*self.preprocessing.steps, ("classifier", classifier)])


def export(
    model: Any, *, precision: str = "auto", support: str = "exact", max_nodes: int = MAX_NODES
) -> Exported:
    """Constants and tables of a fitted classifier, or of a pipeline that ends in one."""
    _check_option("precision", precision, PRECISIONS)
    _check_option("support", support, SUPPORT)
    classifier, preprocessing = _parts(model)
    machines = classifier.machines_
    check_kernel(machines)
    real = _real(precision, real_of(machines))
    rule = rule_of(classifier, max_nodes)
    landmarks = None if rule.shortlist is None else rule.shortlist.landmarks
    of_machines = machine_tables(machines, rule.kept, landmarks, support, real)
    of_rule, constants, score_kind = rule_tables(rule, machines, of_machines, real)
    n_features, names = _features(classifier, preprocessing)
    stages = Stages.none(n_features)
    if preprocessing is not None:
        stages = stages_of(preprocessing, n_features, names)
    last = stages.last.scaled(of_machines.centre, of_machines.scale)
    return Exported(
        real="float" if real is np.float32 else "double",
        n_features=n_features,
        feature_names=names,
        classes=list(classifier.classes_),
        stages=stages.then(last),
        machines=of_machines,
        rule=rule.kind,
        score_kind=score_kind,
        most_decisions=rule.most_decisions,
        tables={**of_machines.tables, **of_rule},
        constants=constants,
        classifier=classifier,
        preprocessing=preprocessing,
    )


def changed_labels(exported: Exported, X: Any, y: Any = None) -> dict[str, float]:
    """What storing numbers in fewer bits changes: the share of labels, and the accuracy."""
    full = (
        exported.classifier
        if exported.preprocessing is None
        else Pipeline([*exported.preprocessing.steps, ("classifier", exported.classifier)])
    )
    before, after = full.predict(X), exported.as_stored.predict(X)
    found = {"rows": len(before), "changed": float(np.mean(before != after))}
    if y is not None:
        y = np.asarray(y)
        found |= {"accuracy": float(np.mean(before == y)), "as_stored": float(np.mean(after == y))}
    return found


def _check_option(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ExportError(f"{name} must be one of {', '.join(known)}, not {value!r}.")


def _parts(model: Any) -> tuple[Any, Any]:
    """The classifier, and a pipeline of the steps before it or None."""
    steps: list[Any] = []
    while hasattr(model, "best_estimator_") or isinstance(model, Pipeline):
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
            continue
        steps += model.steps[:-1]
        model = model[-1]
    if hasattr(model, "machines_") and not isinstance(model, BasePairwiseSVC):
        check_kernel(model.machines_)
    if not isinstance(model, BasePairwiseSVC):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise ExportError(
            "Only a fitted DCSVC, OneVsOneSVC or DAGSVC can be exported, or a pipeline that ends "
            f"in one, not {name}."
        )
    check_is_fitted(model)
    return model, Pipeline(steps) if steps else None


def _real(precision: str, own: type[np.floating[Any]]) -> type[np.floating[Any]]:
    if precision == "auto":
        return own
    real = REALS[precision]
    if real is np.float32 and own is np.float64:
        warnings.warn(
            "This model is evaluated in double precision, since single precision would change its "
            "decision values: export it with precision='double', or standardise its features.",
            stacklevel=4,
        )
    return real


def _features(classifier: Any, preprocessing: Any) -> tuple[int, list[str] | None]:
    first = classifier if preprocessing is None else preprocessing.steps[0][1]
    n = getattr(first, "n_features_in_", None)
    names = getattr(first, "feature_names_in_", None)
    if n is None:
        raise ExportError(
            f"{type(first).__name__} does not know how many features it takes: export the "
            "classifier alone, as model[-1]."
        )
    return int(n), None if names is None else [str(name) for name in names]


def entry_tables(entries: EntryMap) -> dict[str, NDArray[Any]]:
    """The tables of a map that it needs."""
    tables: dict[str, NDArray[Any]] = {"centre": entries.centre, "scale": entries.scale}
    if not np.array_equal(entries.source, np.arange(len(entries.source))):
        tables["from"] = entries.source.astype(np.uint32)
    if entries.is_gap.any():
        tables["is_gap"] = entries.is_gap.astype(np.uint8)
    if not np.isnan(entries.fill).all():
        tables["fill"] = np.nan_to_num(entries.fill)
    for name in ("low", "high"):
        bound = getattr(entries, name)
        if np.isfinite(bound).any():
            tables[name] = np.nan_to_num(bound)
    return tables
