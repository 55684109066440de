"""An interrupt never leaves a thread of ours behind."""

import signal
import threading
import time

import pytest

from dcsvm._util.threads import run_long, run_short


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
