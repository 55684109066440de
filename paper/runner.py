"""All trials, two processes at a time, each with one thread; then the times, one process alone."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from paper import e1071, store, trial
from paper.problems import TIMES
from paper.progress import Bar

PROCESSES = 2
THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
QUICK = 3.0
# Approximate seconds of a task, for an even progress bar; others take one.
SECONDS = {"usps": 20.0, "poker": 20.0, "letter": 10.0, "covertype": 10.0, "sensorless": 2.0}


class Task(NamedTuple):
    """One experiment, whose result is stored."""

    name: str
    # A setting; its times; "e1071", the built-in of R; or "literal", the paper's protocol in R.
    kind: str
    trial: int
    fast: bool


def weight(task):
    """The approximate seconds of a task."""
    return SECONDS.get(task.name, 1.0) / (5.0 if task.fast else 1.0)


def order(task):
    """Sort key: quick tasks first, then by trial, so that a stopped run has trials of every set."""
    seconds = SECONDS.get(task.name, 1.0)
    return seconds > QUICK, task.trial, -seconds


def run_task(task):
    """The result of a task, on one thread; called in another process."""
    with threadpool_limits(1), warnings.catch_warnings():
        # About classes of one or two rows, and solvers that stop early: expected here.
        warnings.simplefilter("ignore")
        return _result(task)


def _result(task):
    for setting, kind in TIMES.items():
        if task.kind == kind:
            return trial.times(task.name, setting, task.trial, task.fast)
    if task.kind == "e1071":
        return e1071.built_in(task.name, task.trial, task.fast)
    if task.kind == "literal":
        return e1071.literal(task.name, task.trial, task.fast)
    return trial.run(task.name, task.kind, task.trial, task.fast)


def end_with(parent):
    """End this process soon after its parent, and ignore interrupts, which the parent handles."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch():
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run_all(tasks, only_saved=False):
    """The results of all tasks, stored ones included."""
    results = {task: store.saved(task) for task in tasks}
    if only_saved:
        return {task: result for task, result in results.items() if result is not None}
    missing = sorted((task for task in tasks if results[task] is None), key=order)
    if not missing:
        return results
    # Libraries read these variables when the new processes load them.
    os.environ.update(THREADS)
    work = sum(map(weight, tasks))
    bar = Bar(work, work - sum(map(weight, missing)))
    alone = [task for task in missing if task.kind in TIMES.values()]
    together = [task for task in missing if task.kind not in TIMES.values()]
    try:
        for processes, part in ((PROCESSES, together), (1, alone)):
            results.update(_run(part, processes, bar) if part else {})
    finally:
        bar.close()
    return results


def _run(tasks, processes, bar):
    """The results of tasks, each stored as soon as it is finished."""
    results = {}
    pool = ProcessPoolExecutor(
        processes, multiprocessing.get_context("spawn"), end_with, (os.getpid(),)
    )
    try:
        futures = {pool.submit(run_task, task): task for task in tasks}
        for future in as_completed(futures):
            task = futures[future]
            results[task] = future.result()
            store.save(task, results[task])
            bar.advance(weight(task), f"{task.name}, {task.kind}, trial {task.trial}")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return results
