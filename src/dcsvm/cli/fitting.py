"""`dcsvm fit`: from a table to a model file, with an estimate of the model's accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from warnings import catch_warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

import dcsvm
from dcsvm import DCSVC
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.evaluation import Figures, cross_validate, fit_and_measure, hold_out, print_figures
from dcsvm.cli.models import make_metadata
from dcsvm.cli.options import FitOptions
from dcsvm.cli.preprocessing import sparse_pipeline, table_pipeline
from dcsvm.cli.training_data import TrainingTable
from dcsvm.cli.tuning import tune
from dcsvm.cli.wording import counted, did_you_mean, listed
from dcsvm.cuda.device import NoDeviceError


def fit(
    table: TrainingTable,
    data: Path,
    output: Path,
    parameters: dict[str, Any],
    options: FitOptions,
    console: Console,
) -> None:
    """Estimate the accuracy, fit all rows, save the model and print a summary."""
    pipeline = make_pipeline(table, parameters, options)
    _print_size(table, console)
    with fit_errors(console):
        figures, tuned = evaluate(pipeline, table, set(parameters), options, console)
        with console.training_progress("Fitting all rows"):
            table.fit(pipeline)
    pipeline[-1].set_params(n_jobs=None)
    metadata = make_metadata(table, data, figures, tuned)
    dcsvm.save(pipeline, output, metadata=metadata)
    print_model(table, pipeline[-1], output, metadata, console)


def print_model(
    table: TrainingTable, classifier: Any, output: Path, metadata: dict[str, Any], console: Console
) -> None:
    """Say what has been fitted and saved."""
    figures, held_out = metadata["figures"], ""
    if figures is not None:
        print_figures(figures, console)
        held_out = ", the held-out ones included"
    n_machines = int(classifier.machines_.n_machines)
    n_support_vectors = int(classifier.machines_.n_distinct_support)
    console.print(
        f"{output}: fitted to all {table.n_rows:,} rows{held_out}; {n_machines:,} machines, "
        f"{n_support_vectors:,} support vectors."
    )
    console.document(
        {
            "model": str(output),
            "classes": table.classes(),
            "features": int(classifier.n_features_in_),
            "parameters": classifier.get_params(deep=False),
            "machines": n_machines,
            "support_vectors": n_support_vectors,
            "unreadable_values": table.source.get("coerced", {}),
            **{name: metadata[name] for name in ("rows", "figures", "tuned", "columns", "target")},
        }
    )


def make_pipeline(
    table: TrainingTable, parameters: dict[str, Any], options: FitOptions
) -> Pipeline:
    """The unfitted pipeline."""
    if isinstance(parameters.get("class_weight"), dict):
        weights = weights_by_label(parameters["class_weight"], table.labels)
        parameters = {**parameters, "class_weight": weights}
    make = DCSVC.paper if options.paper else DCSVC
    try:
        classifier = make(
            **parameters,
            probability=options.probability,
            n_jobs=options.jobs,
            random_state=options.seed,
        )
    except TypeError as error:  # DCSVC.paper does not take all parameters
        fixed = [name for name in parameters if f"'{name}'" in str(error)]
        raise UserError(f"--paper decides {listed(fixed)} by itself: leave it out.") from error
    if table.source["input"] == "svmlight":
        return sparse_pipeline(classifier, not options.no_scaling)
    return table_pipeline(table.columns, classifier, options.seed, not options.no_scaling)


def weights_by_label(weights: dict[str, float], labels: NDArray[Any]) -> dict[Any, float]:
    """Class weights by the labels themselves, where they are given by the texts of labels."""
    known = {str(label): label for label in np.unique(labels).tolist()}
    for name in weights:
        if name not in known:
            raise UserError(
                f"There is no class {name!r} (--class-weight): {did_you_mean(name, list(known))}"
            )
    return {known[name]: weight for name, weight in weights.items()}


def evaluate(
    pipeline: Pipeline, table: TrainingTable, given: set[str], options: FitOptions, console: Console
) -> tuple[Figures | None, dict[str, Any] | None]:
    """Figures on rows that training has not seen, and what tuning chose for the pipeline.

    Tuning does not see held-out rows; before a cross-validation it sees all.
    """
    known, held_out, tuned = table, None, None
    if options.cv is None:
        split = hold_out(table.labels, options.test_size, options.seed)
        if len(split.test):
            _note_rare(split.too_rare, console)
            known, held_out = table.rows(split.train), table.rows(split.test)
        elif options.test_size > 0:
            console.note("No class has enough rows to hold any out: accuracy is not measured.")
    if options.tune:
        tuned = tune(pipeline, known, given, options.seed, console)
    if options.cv is not None:
        if tuned is not None:
            console.note(
                "The parameters were chosen on the same rows, so that the accuracy is too high."
            )
        return cross_validate(pipeline, table, options.cv, options.seed, console), tuned
    if held_out is None:
        return None, tuned
    what = "Fitting without held-out rows"
    return fit_and_measure(pipeline, known, held_out, what, console), tuned


def _note_rare(classes: list[Any], console: Console) -> None:
    if not classes:
        return
    one = len(classes) == 1
    console.note(
        f"The class{'' if one else 'es'} {listed(classes)} {'has' if one else 'have'} too few rows "
        f"to hold any out: the accuracy says nothing about {'it' if one else 'them'}."
    )


@contextmanager
def fit_errors(console: Console) -> Iterator[None]:
    """Turn warnings of a fit into notes, and what it refuses into errors of the user."""
    with catch_warnings(record=True, action="always") as caught:
        try:
            yield
        except (ValueError, NoDeviceError) as error:
            raise UserError(str(error).strip().splitlines()[0]) from error
    for warning in caught:
        if issubclass(warning.category, ConvergenceWarning):
            console.note(str(warning.message))


def _print_size(table: TrainingTable, console: Console) -> None:
    n = table.source.get("features")
    columns = counted(n, "feature") if n else counted(len(table.columns), "column")
    rows, k = counted(table.n_rows, "row"), len(np.unique(table.labels))
    console.status(f"{rows}, {columns}, {k} classes in {table.target.name!r}")
