"""Tasks in threads, with a main thread that hears Ctrl-C within a second.

Compiled code holds back Ctrl-C until it returns. Short tasks may therefore run anywhere; one
that may take long runs in a thread of its own while the main thread waits and listens.
"""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from joblib import effective_n_jobs

Task = TypeVar("Task")
Result = TypeVar("Result")


# Multiplications for which it pays to start a thread: about a millisecond of them.
WORTH_A_THREAD = 3 * 10**7


def n_threads(n_jobs: int | None) -> int:
    """How many threads scikit-learn's `n_jobs` asks for."""
    return int(effective_n_jobs(n_jobs))


def threads_worth(work: float, n_jobs: int | None) -> int:
    """As many of these threads as pay for `work` multiplications."""
    return max(1, min(n_threads(n_jobs), int(work // WORTH_A_THREAD)))


def even_slices(n: int, most: int, n_jobs: int | None) -> list[slice]:
    """Cut n items into slices of at most `most`, as many for one thread as for another."""
    threads = n_threads(n_jobs)
    n_slices = min(n, threads * -(-n // (threads * most)))
    edges = [n * s // max(n_slices, 1) for s in range(n_slices + 1)]
    return [slice(a, b) for a, b in itertools.pairwise(edges)]


def run_short(
    function: Callable[[Task], Result], tasks: Iterable[Task], n_jobs: int | None
) -> list[Result]:
    """`[function(task) for task in tasks]` for tasks that end well within a second each.

    The main thread takes part. An interrupt, or the first error of a task, is raised when the
    tasks begun have ended.
    """
    crew = _Crew(function, list(tasks))
    try:
        crew.start(n_threads(n_jobs) - 1, daemon=False)
        crew.work()
    finally:
        crew.end()
    return crew.results()


def run_long(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    n_jobs: int | None,
    cancel: Callable[[], None] | None = None,
    done: Callable[[Task], None] | None = None,
) -> list[Result]:
    """The same for tasks that may take any time.

    The main thread only waits, so that an interrupt is heard at once. `cancel` must then make
    the tasks begun end soon. Without it they go on in the background until they end, but hold
    up neither the caller nor the end of the program. `done` hears of each task, in the main
    thread.
    """
    crew = _Crew(function, list(tasks))
    try:
        crew.start(n_threads(n_jobs), daemon=cancel is None)
        for _ in crew.tasks:
            number, error = crew.next_done()
            if error is not None:
                break
            if done is not None:
                done(crew.tasks[number])
    except BaseException:
        crew.stop.set()
        if cancel is not None:
            cancel()
            crew.end()
        raise
    crew.stop.set()
    return crew.results()


class _Crew(Generic[Task, Result]):
    """Threads that share a list of tasks."""

    def __init__(self, function: Callable[[Task], Result], tasks: list[Task]) -> None:
        self.function = function
        self.tasks = tasks
        self.next = itertools.count()
        self.outcome: list[Any] = [None] * len(tasks)
        self.errors: list[BaseException] = []
        self.done = queue.SimpleQueue[tuple[int, BaseException | None]]()
        self.stop = threading.Event()
        self.threads: list[threading.Thread] = []
        self.ended: set[threading.Thread] = set()
        self.end_of_one = queue.SimpleQueue[None]()

    def start(self, n: int, daemon: bool) -> None:
        for _ in range(min(n, len(self.tasks))):
            thread = threading.Thread(target=self._work_in_thread, daemon=daemon)
            self.threads.append(thread)
            thread.start()

    def next_done(self) -> tuple[int, BaseException | None]:
        """Wait for a task to end, but never for long at a time.

        An interrupt that comes just before the wait begins is heard only after it.
        """
        while True:
            with suppress(queue.Empty):
                return self.done.get(timeout=0.05)

    def end(self) -> None:
        """Wait for the threads, also for one whose start was interrupted half-way.

        An interrupt meanwhile is raised when they have ended. It must not reach Thread.join:
        up to Python 3.12 an interrupted join takes a thread that still runs for ended, and the
        program may then exit under it.
        """
        self.stop.set()
        interrupt: KeyboardInterrupt | None = None
        for thread in self.threads:
            patience = time.monotonic() + 0.5
            while thread.ident is None and time.monotonic() < patience:
                time.sleep(0.001)
            while thread.ident is not None and thread not in self.ended:
                try:
                    self.end_of_one.get(timeout=0.05)
                except queue.Empty:
                    pass
                except KeyboardInterrupt as raised:
                    interrupt = raised
        if interrupt is not None:
            raise interrupt

    def _work_in_thread(self) -> None:
        try:
            self.work()
        finally:
            self.ended.add(threading.current_thread())
            self.end_of_one.put(None)

    def work(self) -> None:
        for number in self.next:  # one number each: counting is atomic
            if number >= len(self.tasks) or self.stop.is_set():
                return
            error = None
            try:
                self.outcome[number] = self.function(self.tasks[number])
            except Exception as raised:
                error = raised
                self.errors.append(raised)
                self.stop.set()
            self.done.put((number, error))

    def results(self) -> list[Result]:
        if self.errors:
            raise self.errors[0]
        return self.outcome
