"""Ctrl-C at random moments: it is raised soon, and what it stops is as it was, or done in full."""

import faulthandler
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from tests.torture.subjects import OTHER_X, OTHER_Y, X, answers, growing, new_rows, require, y

import dcsvm
from dcsvm import DCSVC

LONGEST = 60  # seconds after which something hangs, on a machine with much else to do
FINE, INTERRUPTED = 0, 130


def interrupted(action, after):
    """Whether an interrupt after so many seconds was raised; it was sent in any case."""
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    try:
        try:
            timer.start()
            action()
        finally:
            while timer.is_alive() or not timer.finished.is_set():
                time.sleep(0.001)
            time.sleep(0.001)
        return False
    except KeyboardInterrupt:
        return True
    finally:
        timer.join()
        faulthandler.cancel_dump_traceback_later()


def duration(action):
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def threads_end():
    """Threads that were cancelled may take a moment."""
    deadline = time.monotonic() + LONGEST
    while threading.active_count() > 1:
        require(time.monotonic() < deadline, "threads go on after an interrupt")
        time.sleep(0.001)


def fits(rounds):
    for number in range(rounds):
        theta = "auto" if number % 4 == 3 else 0.0005
        model = DCSVC(n_jobs=number % 2 + 1, theta=theta).fit(X, y)
        other = DCSVC(n_jobs=1, theta=theta)
        old = answers(model)
        new = answers(DCSVC(theta=theta).fit(OTHER_X, OTHER_Y))
        usual = duration(partial(other.fit, OTHER_X, OTHER_Y))
        was = interrupted(partial(model.fit, OTHER_X, OTHER_Y), random.uniform(0, 1.1 * usual))
        threads_end()
        require(
            answers(model) in ((old,) if was and answers(model) == old else (new,)), "half a fit"
        )
        yield


def predictions(rounds):
    expected, usual = growing().predict(new_rows()), duration(lambda: growing().predict(new_rows()))
    for number in range(rounds):
        model = growing() if number % 3 else DCSVC(n_jobs=2).fit(X, y)
        right = expected if number % 3 else model.predict(new_rows())
        interrupted(lambda: model.predict(new_rows()), random.uniform(0, usual))  # noqa: B023
        threads_end()
        require((model.predict(new_rows()) == right).all(), "other labels after an interrupt")
        yield


def searches(rounds):
    grid = {"C": [0.1, 1.0, 10.0], "theta": [0.0, 0.01]}
    usual = duration(lambda: GridSearchCV(DCSVC(), grid, cv=3).fit(X, y))
    for _ in range(rounds):
        search = GridSearchCV(DCSVC(n_jobs=2), grid, cv=3)
        was = interrupted(lambda: search.fit(X, y), random.uniform(0, 1.1 * usual))  # noqa: B023
        threads_end()
        require(not hasattr(search.estimator, "classes_"), "the estimator of a search was fitted")
        if not was:
            search.predict(X[:1])
        yield


def commands(rounds):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, model, out = folder / "iris.csv", folder / "iris.dcsvm", folder / "out.csv"
        write_table(table)
        fit = ["fit", table, "--target", "label", "-o", model]
        predict = ["predict", model, table, "-o", out]
        usual = {id(c): duration(lambda: run_command(c, LONGEST)) for c in (fit, predict)}  # noqa: B023
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        for number in range(rounds):
            command = [fit, predict][number % 2]
            code, told = run_command(command, random.uniform(0.0, 1.1 * usual[id(command)]))
            require(code in (FINE, INTERRUPTED, -signal.SIGINT), f"exit code {code}: {told}")
            require("Traceback" not in told, told)
            after = {path.name: path.read_bytes() for path in folder.iterdir()}
            require(after.keys() == before.keys(), f"left over: {after.keys() - before.keys()}")
            require(after[out.name] == before[out.name], "another output than without an interrupt")
            dcsvm.load(model)
            yield


def write_table(path):
    data = load_iris()
    labelled = np.column_stack([data.data, data.target])
    np.savetxt(path, labelled, delimiter=",", header="a,b,c,d,label", comments="", fmt="%g")


def run_command(arguments, after):
    """Exit code and messages of a command that is interrupted after so many seconds."""
    command = [sys.executable, "-m", "dcsvm.cli", *map(str, arguments), "-q"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        told, _ = process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            told, _ = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, told
