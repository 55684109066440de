"""`dcsvm fit --dask`: from a folder of Parquet files to a model file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

import dcsvm
from dcsvm.cli.clusters import check_folder, cluster_client
from dcsvm.cli.columns import NUMBER, Column
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.fitting import fit_errors, print_model, weights_by_label
from dcsvm.cli.models import make_metadata
from dcsvm.cli.options import ClusterOptions, FitOptions, TrainingTableOptions
from dcsvm.cli.targets import BOOLEAN, FLOAT, INTEGER, TEXT, Target
from dcsvm.cli.training_data import TrainingTable, check_names

KINDS = {"i": INTEGER, "u": INTEGER, "f": FLOAT, "b": BOOLEAN}


@dataclass(frozen=True)
class FolderTable(TrainingTable):
    """What is known here of a folder: no rows, but the columns and the classes."""

    rows_in_all: int

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.rows_in_all

    def classes(self) -> list[dict[str, Any]]:
        """The classes."""
        return [{"label": label} for label in self.labels.tolist()]


def fit_folder(
    data: Path,
    output: Path,
    parameters: dict[str, Any],
    table_options: TrainingTableOptions,
    options: FitOptions,
    cluster: ClusterOptions,
    console: Console,
) -> None:
    """Fit all rows on a cluster, save the model and print a summary."""
    check_folder(data)
    if options.tune or options.cv is not None:
        raise UserError("--tune and --cv cannot be used with --dask: leave them out.")
    from dcsvm.dask import DaskDCSVC
    from dcsvm.dask.parquet import ParquetFolder, row_groups

    names = row_groups(data)[1].names
    target = check_names(names, data, table_options)
    folder = ParquetFolder(data, tuple(table_options.drop or ()))
    columns = [n for n in names if n not in (target, table_options.weight, *folder.left_out)]
    if not options.no_scaling:
        parameters = {"scaling": "global", **parameters}
    make = DaskDCSVC.paper if options.paper else DaskDCSVC
    with cluster_client(cluster.scheduler) as client, fit_errors(console):
        given = {**parameters, "n_jobs": options.jobs, "random_state": options.seed}
        try:
            classifier = make(client, **given)
        except TypeError as error:  # the paper's rule does not take all parameters
            raise UserError(f"--paper decides by itself: {error}.") from error
        if isinstance(parameters.get("class_weight"), dict):
            labels = classifier.labels(folder, target, table_options.weight)
            weights = weights_by_label(parameters["class_weight"], labels)
            classifier.set_params(class_weight=weights)
        plan = classifier.plan(folder, target, table_options.weight)
        console.status(str(plan))
        with console.training_progress("Fitting on the cluster"):
            classifier.fit(folder, target, table_options.weight)
    local = classifier.to_local()
    local.set_params(n_jobs=None)
    table = _table(target, columns, local.classes_, local.shape_fit_[0])
    metadata = make_metadata(table, data, None, None)
    dcsvm.save(Pipeline([("classifier", local)]), output, metadata=metadata)
    console.note(
        "Accuracy is not measured with --dask: it is printed by `dcsvm predict` for a folder "
        f"of rows with {target!r}."
    )
    print_model(table, local, output, metadata, console)


def _table(target: str, columns: list[str], classes: NDArray[Any], n_rows: int) -> FolderTable:
    kind = KINDS.get(np.asarray(classes).dtype.kind, TEXT)
    numbers = [Column(name, NUMBER) for name in columns]
    source: dict[str, Any] = {"input": "table", "na_values": None, "coerced": {}}
    return FolderTable(None, classes, None, Target(target, kind), numbers, source, n_rows)
