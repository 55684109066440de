"""`dcsvm predict --dask`: from a folder of Parquet files to another with labels, file by file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from dcsvm.cli.clusters import check_folder, check_new_folder, cluster_client
from dcsvm.cli.console import Console
from dcsvm.cli.models import Model
from dcsvm.cli.options import ClusterOptions, PredictOptions, ReadingOptions
from dcsvm.cli.predicting import Tally, predict_table, print_summary


def predict_folder(
    model: Model,
    data: Path,
    output: Path,
    reading: ReadingOptions,
    options: PredictOptions,
    cluster: ClusterOptions,
    console: Console,
) -> None:
    """Predict every file of a folder, each to a file of the same name, and print a summary."""
    check_folder(data)
    check_new_folder(output)
    from dcsvm.dask.job import Job
    from dcsvm.dask.prediction import as_it_is

    start = time.perf_counter()
    files = sorted(data.glob("**/*.parquet")) if data.is_dir() else [data]
    base = data if data.is_dir() else data.parent
    outputs = [output / file.relative_to(base) for file in files]
    for path in outputs:
        path.parent.mkdir(parents=True, exist_ok=True)
    model.classifier.set_params(n_jobs=1)  # workers run a task in every thread
    tally = Tally(model.classifier.classes_.tolist())
    with cluster_client(cluster.scheduler) as client, Job(client) as job:
        sent = job.submit(as_it_is, model)
        futures = [
            job.submit(predict_file, sent, str(file), str(path), reading, options)
            for file, path in zip(files, outputs, strict=True)
        ]
        with console.progress("Files", len(files)) as advance:
            for done, (_, (of_file, notes)) in enumerate(job.completed(futures), start=1):
                tally.add(of_file)
                for note in notes:
                    console.note(note)
                advance(done)
    seconds = time.perf_counter() - start
    print_summary(tally, model, seconds, output, console)
    document = {"output": str(output), "files": len(files), **tally.summary()}
    console.document({**document, "seconds": seconds})


def predict_file(
    model: Model, data: str, output: str, reading: ReadingOptions, options: PredictOptions
) -> tuple[Tally, list[str]]:
    """Predict one file on a worker; the output is complete or not there at all."""
    silent: Any = Console(quiet=True)
    tally, misfits = predict_table(model, Path(data), Path(output), reading, options, silent)
    return tally, [*silent.notes, *misfits.notes()]
