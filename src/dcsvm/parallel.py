"""Tasks in threads, with a main thread that always hears Ctrl-C."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from joblib import effective_n_jobs

Task = TypeVar("Task")
Result = TypeVar("Result")


def n_threads(n_jobs: int | None) -> int:
    """How many threads scikit-learn's `n_jobs` asks for."""
    return int(effective_n_jobs(n_jobs))


def run_in_threads(
    function: Callable[[Task], Result], tasks: Iterable[Task], n_jobs: int | None
) -> list[Result]:
    """`[function(task) for task in tasks]`, in threads, results in the order of the tasks.

    Compiled code that runs in the main thread holds back Ctrl-C until it returns. Here the
    main thread only waits: an interrupt is raised from this call at once, and each thread
    ends with the task it is in. So does the first error of a task.
    """
    todo = queue.SimpleQueue[tuple[int, Task]]()
    for numbered in enumerate(tasks):
        todo.put(numbered)
    n_tasks = todo.qsize()
    done = queue.SimpleQueue[tuple[int, Any, BaseException | None]]()
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            try:
                number, task = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((number, function(task), None))
            except BaseException as error:
                done.put((number, None, error))

    for _ in range(min(n_threads(n_jobs), n_tasks)):
        # A daemon, so that leaving the interpreter does not wait for a long task either.
        threading.Thread(target=work, daemon=True).start()
    results: dict[int, Any] = {}
    try:
        for _ in range(n_tasks):
            number, result, error = done.get()
            if error is not None:
                raise error
            results[number] = result
    finally:
        stop.set()
    return [results[number] for number in range(n_tasks)]
