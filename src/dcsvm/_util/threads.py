"""Tasks in threads, with a main thread that answers Ctrl-C within a second.

Compiled code holds back Ctrl-C until it returns. Short tasks may therefore run anywhere; one
that may take long runs in a thread of its own while the main thread waits.

`concurrent.futures` does not serve here: at its end the program waits for the threads of an
executor, also for those in libsvm, which cannot be stopped; and to wait for an executor is to
call Thread.join, which up to Python 3.12 takes a running thread for ended when interrupted.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from joblib import effective_n_jobs

Task = TypeVar("Task")
Result = TypeVar("Result")

# Multiplications for which it pays to start a thread: about a millisecond of them.
WORTH_A_THREAD = 3 * 10**7
# An interrupt that comes just before a wait begins is raised only after it.
LONGEST_WAIT = 0.05


def n_threads(n_jobs: int | None) -> int:
    """How many threads scikit-learn's `n_jobs` asks for."""
    return int(effective_n_jobs(n_jobs))


def threads_worth(work: float, n_jobs: int | None) -> int:
    """As many of these threads as pay for `work` multiplications."""
    return max(1, min(n_threads(n_jobs), int(work // WORTH_A_THREAD)))


def even_slices(n: int, most: int, n_jobs: int | None) -> list[slice]:
    """Cut n items into slices of at most `most`, equally many for every thread."""
    threads = n_threads(n_jobs)
    n_slices = min(n, threads * -(-n // (threads * most)))
    edges = [n * s // max(n_slices, 1) for s in range(n_slices + 1)]
    return [slice(a, b) for a, b in itertools.pairwise(edges)]


def run_short(
    function: Callable[[Task], Result], tasks: Iterable[Task], n_jobs: int | None
) -> list[Result]:
    """`[function(task) for task in tasks]` for tasks that end well within a second each.

    The main thread works too. An interrupt, or the first error of a task, is raised when the
    tasks begun have ended.
    """
    pool = _Pool(function, list(tasks))
    try:
        pool.start(n_threads(n_jobs) - 1, daemon=False)
        pool.work()
    finally:
        pool.end()
    return pool.outcome()


def run_long(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    n_jobs: int | None,
    cancel: Callable[[], None] | None = None,
    done: Callable[[Task], None] | None = None,
) -> list[Result]:
    """The same for tasks that may take any time.

    The main thread only waits, so that an interrupt is raised at once. `cancel` must then make
    the tasks begun end soon. Without it they go on in the background until they end, but hold
    up neither the caller nor the end of the program. `done` is called with each task that has
    ended, in the main thread.
    """
    pool = _Pool(function, list(tasks))
    try:
        pool.start(n_threads(n_jobs), daemon=cancel is None)
        for _ in pool.tasks:
            number = pool.next_ended()
            if pool.errors:
                break
            if done is not None:
                done(pool.tasks[number])
        return pool.outcome()
    except BaseException:
        pool.stopped = True
        if cancel is not None:
            cancel()
            pool.end()
        raise


class _Pool(Generic[Task, Result]):
    """Threads that share a list of tasks.

    A thread adds itself to `working` before it looks at `stopped`, and `end` sets `stopped`
    before it looks at `working`: no task begins after `end`, however late a thread starts.
    """

    def __init__(self, function: Callable[[Task], Result], tasks: list[Task]) -> None:
        self.function = function
        self.tasks = tasks
        self.numbers = deque(range(len(tasks)))  # of the tasks; to take the next one is atomic
        self.results: list[Any] = [None] * len(tasks)
        self.errors: list[BaseException] = []
        self.stopped = False
        self.working: set[int] = set()
        self.ended = queue.SimpleQueue[int | None]()  # numbers of tasks; None: a thread

    def start(self, n: int, daemon: bool) -> None:
        for _ in range(min(n, len(self.tasks))):
            threading.Thread(target=self._work_in_thread, daemon=daemon).start()

    def _work_in_thread(self) -> None:
        self.working.add(threading.get_ident())
        try:
            self.work()
        finally:
            self.working.discard(threading.get_ident())
            self.ended.put(None)

    def work(self) -> None:
        while not self.stopped:
            try:
                number = self.numbers.popleft()
            except IndexError:
                return
            try:
                self.results[number] = self.function(self.tasks[number])
            except BaseException as error:
                self.errors.append(error)
                self.stopped = True
            self.ended.put(number)

    def next_ended(self) -> int:
        """Wait for a task to end."""
        while True:
            with suppress(queue.Empty):
                number = self.ended.get(timeout=LONGEST_WAIT)
                if number is not None:
                    return number

    def end(self) -> None:
        """Wait for the tasks begun; an interrupt meanwhile is raised when they have ended."""
        self.stopped = True
        interrupt: KeyboardInterrupt | None = None
        while self.working:
            try:
                while self.working:
                    with suppress(queue.Empty):
                        self.ended.get(timeout=LONGEST_WAIT)
            except KeyboardInterrupt as raised:
                interrupt = raised
        if interrupt is not None:
            raise interrupt

    def outcome(self) -> list[Result]:
        if self.errors:
            raise self.errors[0]
        return self.results
