"""No interrupt leaves a thread of ours behind, and no error makes the caller wait."""

import signal
import subprocess
import sys
import threading
import time

import pytest
from tests import patience

from dcsvm._util import threads
from dcsvm._util.threads import even_slices, run_long, run_short, threads_worth


@pytest.fixture(autouse=True)
def ctrl_c_interrupts():
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


def is_main():
    return threading.current_thread() is threading.main_thread()


def interrupt():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def test_run_short_raises_an_interrupt_when_the_tasks_begun_have_ended():
    ended = []

    def work(task):
        if is_main():  # which leaves a task to the other thread, and is interrupted here
            while True:
                time.sleep(0.01)
        interrupt()
        time.sleep(0.3)
        ended.append(task)

    with pytest.raises(KeyboardInterrupt):
        run_short(work, [0, 1], n_jobs=2)
    assert len(ended) == 1


def test_run_long_raises_an_interrupt_when_the_cancelled_tasks_have_ended():
    cancelled, both_begun = threading.Event(), threading.Barrier(2)
    ended = []

    def work(task):
        if both_begun.wait() == 0:
            interrupt()
        cancelled.wait()
        time.sleep(0.2)
        ended.append(task)

    with pytest.raises(KeyboardInterrupt):
        run_long(work, [0, 1, 2, 3], n_jobs=2, cancel=cancelled.set)
    assert len(ended) == 2


@pytest.mark.parametrize("run", [run_short, run_long])
def test_results_come_in_the_order_of_the_tasks_and_the_first_error_is_raised(run):
    assert run(lambda task: task * 2, range(100), n_jobs=3) == list(range(0, 200, 2))
    with pytest.raises(ZeroDivisionError):
        run(lambda task: 1 // (task - 5), range(100), n_jobs=3)


@pytest.mark.parametrize("run", [run_short, run_long])
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, ValueError])
def test_whatever_a_task_raises_is_raised_to_the_caller(run, n_jobs, error):
    def fail(task):
        raise error(task)

    with pytest.raises(error) as caught:
        run(fail, [0, 1, 2, 3], n_jobs)
    assert caught.value.args[0] in (0, 1)


def test_an_error_cancels_the_other_tasks_and_waits_for_them():
    both_begun, cancelled = threading.Barrier(2), threading.Event()
    ended = []

    def work(task):
        both_begun.wait()
        if task == 0:
            raise ValueError(task)
        cancelled.wait()
        ended.append(task)

    with pytest.raises(ValueError, match="0"):
        run_long(work, [0, 1, 2], n_jobs=2, cancel=cancelled.set)
    assert ended == [1]


def test_done_is_called_in_this_thread_with_every_task():
    called = []
    run_long(str, range(20), n_jobs=3, done=lambda task: called.append((task, is_main())))
    assert sorted(called) == [(task, True) for task in range(20)]


def test_a_thread_that_starts_after_the_end_does_nothing(monkeypatch):
    late, done = [], []
    monkeypatch.setattr(threading.Thread, "start", lambda thread: late.append(thread))
    assert run_short(done.append, range(3), n_jobs=3) == [None] * 3
    assert done == [0, 1, 2]
    with pytest.raises(ZeroDivisionError):
        run_short(lambda task: 1 // task, [0, 1], n_jobs=2)
    pool = threads._Pool(done.append, [3, 4])
    pool.start(2, daemon=False)
    pool.end()
    assert len(late) == 5
    for thread in late:
        thread.run()
    assert done == [0, 1, 2]


ENDS_UNDER_A_TASK = """
import threading, time
from dcsvm._util.threads import run_long
begun = threading.Event()
def work(task):
    begun.set()
    time.sleep(3600)
def interrupt():
    begun.wait()
    raise KeyboardInterrupt
try:
    run_long(lambda t: interrupt() if t else work(t), [0, 1], n_jobs=2)
except KeyboardInterrupt:
    print("raised")
"""


def test_a_task_that_cannot_be_cancelled_does_not_hold_up_the_program():
    command = [sys.executable, "-c", ENDS_UNDER_A_TASK]
    assert (
        subprocess.run(command, capture_output=True, timeout=patience.SECONDS).stdout == b"raised\n"
    )


@pytest.mark.parametrize(("n", "most", "n_jobs"), [(0, 5, 1), (7, 3, 1), (100, 9, 3), (2, 9, 4)])
def test_even_slices_cover_all_items_evenly(n, most, n_jobs):
    slices = even_slices(n, most, n_jobs)
    assert [i for part in slices for i in range(part.start, part.stop)] == list(range(n))
    sizes = [part.stop - part.start for part in slices]
    assert max(sizes, default=0) <= most
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
    assert n < n_jobs or len(slices) % n_jobs == 0


def test_threads_worth():
    assert threads_worth(threads.WORTH_A_THREAD - 1, n_jobs=8) == 1
    assert threads_worth(3.5 * threads.WORTH_A_THREAD, n_jobs=8) == 3
    assert threads_worth(1e12, n_jobs=2) == 2
