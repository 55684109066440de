"""`dcsvm fit`: from a table to a model file, and how good the model is."""

from __future__ import annotations

import platform
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

import dcsvm
from dcsvm import DCSVC
from dcsvm.cli.errors import UserError, counted, did_you_mean, listed
from dcsvm.cli.figures import mean_figures, measure, show
from dcsvm.cli.holding_out import hold_out
from dcsvm.cli.messages import Messages
from dcsvm.cli.preprocessing import sparse_pipeline, table_pipeline
from dcsvm.cli.training_data import TrainingTable
from dcsvm.cli.tuning import tune

# Of the form of what the command line writes into a model file.
METADATA_VERSION = 1


@dataclass(frozen=True)
class FitOptions:
    """How to fit."""

    parameters: dict[str, Any]
    paper: bool = False
    tune: bool = False
    test_size: float = 0.2
    folds: int | None = None
    seed: int = 0
    jobs: int = -1
    standardise: bool = True


def fit(
    table: TrainingTable, data: Path, output: Path, options: FitOptions, messages: Messages
) -> None:
    """Judge, fit, save, and say what came out."""
    pipeline = make_pipeline(table, options)
    _announce(table, pipeline[-1], messages)
    figures: dict[str, Any] | None = None
    tuned: dict[str, Any] | None = None
    with plain_errors(messages):
        if options.folds is not None:
            tuned = tune(pipeline, table, options, messages) if options.tune else None
            if tuned is not None:
                messages.note("The parameters were chosen on the same rows, which flatters them.")
            figures = cross_validate(pipeline, table, options, messages)
        else:
            figures, tuned = _judge_on_held_out(pipeline, table, options, messages)
        with messages.training("Fitting all rows"):
            pipeline.fit(table.X, table.labels, **table.fit_parameters())
    classifier = pipeline[-1].set_params(n_jobs=None)
    metadata = describe(table, data, figures, tuned)
    dcsvm.save(pipeline, output, metadata=metadata)
    if figures is not None:
        show(figures, messages)
    _conclude(table, classifier, output, figures is not None, messages)
    messages.document(
        {
            "model": str(output),
            "rows": table.n_rows,
            "classes": table_classes(table),
            "features": int(classifier.n_features_in_),
            "figures": figures,
            "tuned": tuned,
            "parameters": classifier.get_params(deep=False),
            "machines": int(classifier.machines_.n_machines),
            "support_vectors": n_support_vectors(classifier),
            "columns": metadata["columns"],
            "target": metadata["target"],
        }
    )


def make_pipeline(table: TrainingTable, options: FitOptions) -> Pipeline:
    """The unfitted pipeline."""
    parameters = dict(options.parameters)
    if isinstance(parameters.get("class_weight"), dict):
        parameters["class_weight"] = _weight_of_labels(parameters["class_weight"], table.labels)
    make = DCSVC.paper if options.paper else DCSVC
    try:
        classifier = make(**parameters, n_jobs=options.jobs, random_state=options.seed)
    except TypeError as error:  # the paper fixes some parameters
        fixed = [name for name in parameters if f"'{name}'" in str(error)]
        raise UserError(f"--paper decides {listed(fixed)} by itself: leave it out.") from error
    if table.source["input"] == "svmlight":
        return sparse_pipeline(classifier, options.standardise)
    return table_pipeline(table.columns, classifier, options.seed, options.standardise)


def _weight_of_labels(by_name: dict[str, float], labels: NDArray[Any]) -> dict[Any, float]:
    """Class weights with labels in the place of how they are written."""
    known = {str(label): label for label in np.unique(labels).tolist()}
    for name in by_name:
        if name not in known:
            raise UserError(
                f"There is no class {name!r} (--class-weight): {did_you_mean(name, list(known))}"
            )
    return {known[name]: weight for name, weight in by_name.items()}


def _judge_on_held_out(
    pipeline: Pipeline, table: TrainingTable, options: FitOptions, messages: Messages
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Figures on held-out rows, and what tuning, which has not seen them, chose."""
    split = hold_out(table.labels, options.test_size, options.seed)
    if len(split.test) == 0:
        if options.test_size > 0:
            messages.note("No class has enough rows to hold any out: accuracy is not measured.")
        return None, tune(pipeline, table, options, messages) if options.tune else None
    if split.too_rare:
        one = len(split.too_rare) == 1
        messages.note(
            f"The class{'' if one else 'es'} {listed(split.too_rare)} {'has' if one else 'have'} "
            "too few rows to hold any out: the accuracy says nothing about "
            f"{'it' if one else 'them'}."
        )
    known, unknown = table.rows(split.train), table.rows(split.test)
    tuned = tune(pipeline, known, options, messages) if options.tune else None
    trial = clone(pipeline)
    with messages.training("Fitting without held-out rows"):
        trial.fit(known.X, known.labels, **known.fit_parameters())
    return measure(trial, unknown.X, unknown.labels, unknown.weight), tuned


def cross_validate(
    pipeline: Pipeline, table: TrainingTable, options: FitOptions, messages: Messages
) -> dict[str, Any]:
    """Mean figures over folds."""
    folds = options.folds or 2
    if folds > table.n_rows:
        raise UserError(f"--cv {folds} needs at least {folds} rows; there are {table.n_rows}.")
    counts = np.unique_counts(table.labels)
    rare = counts.values[counts.counts < folds]
    if len(rare) == len(counts.values):
        raise UserError(f"--cv {folds} needs a class with at least {folds} rows: use fewer folds.")
    if len(rare):
        messages.note(
            f"{listed(rare)} {'has' if len(rare) == 1 else 'have'} fewer than {folds} rows, so "
            "that some folds cannot know or judge them."
        )
    splitter = StratifiedKFold(folds, shuffle=True, random_state=options.seed)
    found = []
    for number, (train, test) in enumerate(splitter.split(np.empty(table.n_rows), table.labels), 1):
        known, unknown = table.rows(train), table.rows(test)
        trial = clone(pipeline)
        with messages.training(f"Fold {number} of {folds}"):
            trial.fit(known.X, known.labels, **known.fit_parameters())
        found.append(measure(trial, unknown.X, unknown.labels, unknown.weight))
    return mean_figures(found)


@contextmanager
def plain_errors(messages: Messages) -> Iterator[None]:
    """Have warnings of a fit become notes, and what it refuses mistakes of the user."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except ValueError as error:
            raise UserError(str(error).strip().splitlines()[0]) from error
    for warning in caught:
        if issubclass(warning.category, ConvergenceWarning):
            messages.note(str(warning.message))


def describe(
    table: TrainingTable, data: Path, figures: dict[str, Any] | None, tuned: dict[str, Any] | None
) -> dict[str, Any]:
    """What the model file says beside the model."""
    libraries = ("numpy", "scipy", "scikit-learn", "skrub", "pandas", "pyarrow")
    return {
        "dcsvm_cli": METADATA_VERSION,
        **table.source,
        "data": data.name,
        "rows": table.n_rows,
        "target": table.target.to_json(),
        "columns": [column.to_json() for column in table.columns],
        "figures": figures,
        "tuned": tuned,
        "fitted": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "dcsvm": dcsvm.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in libraries},
        },
    }


def table_classes(table: TrainingTable) -> list[dict[str, Any]]:
    """The classes and their numbers of rows."""
    counts = np.unique_counts(table.labels)
    pairs = zip(counts.values.tolist(), counts.counts.tolist(), strict=True)
    return [{"label": label, "rows": n} for label, n in pairs]


def n_support_vectors(classifier: Any) -> int:
    """Distinct support vectors of all machines."""
    return int(classifier.machines_.n_distinct_support)


def _announce(table: TrainingTable, classifier: Any, messages: Messages) -> None:
    k = len(np.unique(table.labels))
    n_features = table.source.get("features")
    columns = (
        counted(n_features, "feature") if n_features else counted(len(table.columns), "column")
    )
    messages.status(
        f"{counted(table.n_rows, 'row')}, {columns}, {k} classes in {table.target.name!r}"
    )


def _conclude(
    table: TrainingTable, classifier: Any, output: Path, was_judged: bool, messages: Messages
) -> None:
    again = ", the held-out ones included" if was_judged else ""
    messages.say(
        f"{output}: fitted to all {table.n_rows:,} rows{again}; "
        f"{classifier.machines_.n_machines:,} machines, "
        f"{n_support_vectors(classifier):,} support vectors."
    )
