"""All trials, two processes at a time, each with one thread, and how long it will take."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import NamedTuple

from paper import e1071, store, trial
from paper.progress import Bar

PROCESSES = 2
THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
# Seconds of a task, about: they put long ones first, and make the bar move evenly.
SECONDS = {"usps": 20.0, "poker": 20.0, "letter": 10.0, "covertype": 10.0, "sensorless": 2.0}


class Task(NamedTuple):
    """One thing to run, and to keep."""

    name: str
    kind: str  # a setting; "e1071", the built-in of R; or "literal", the paper's way in R
    trial: int
    fast: bool


def weight(task):
    """Seconds, about."""
    return SECONDS.get(task.name, 1.0) / (5.0 if task.fast else 1.0)


def run_task(task):
    """The result of a task; called in another process."""
    if task.kind == "e1071":
        return e1071.built_in(task.name, task.trial, task.fast)
    if task.kind == "literal":
        return e1071.literal(task.name, task.trial, task.fast)
    return trial.run(task.name, task.kind, task.trial, task.fast)


def run_all(tasks, only_saved=False):
    """The results of all tasks, those that were kept from before included."""
    results = {task: store.saved(task) for task in tasks}
    if only_saved:
        return {task: result for task, result in results.items() if result is not None}
    # First trials first, so that a run that is stopped has something to say of every set.
    missing = sorted((t for t in tasks if results[t] is None), key=lambda t: (t.trial, -weight(t)))
    if not missing:
        return results
    # Libraries read these when they are loaded, in the new processes.
    os.environ.update(THREADS)
    work = sum(map(weight, tasks))
    bar = Bar(work, work - sum(map(weight, missing)))
    pool = ProcessPoolExecutor(PROCESSES, mp_context=multiprocessing.get_context("spawn"))
    try:
        futures = {pool.submit(run_task, task): task for task in missing}
        for future in as_completed(futures):
            task = futures[future]
            results[task] = future.result()
            store.save(task, results[task])
            bar.advance(weight(task), f"{task.name}, {task.kind}, trial {task.trial}")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        bar.close()
    return results
