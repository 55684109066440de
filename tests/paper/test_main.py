"""The tasks of a run, and what an interrupt leaves."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests import patience

from paper import __main__ as main
from paper import (
    problems,
    runner,
)


def test_tasks(monkeypatch):
    from argparse import Namespace

    monkeypatch.setattr(main.e1071, "why_not", lambda: None)
    options = Namespace(fast=False, trials=None, sets=problems.PAPER)
    tasks = main.tasks_of(options)
    assert len(set(tasks)) == len(tasks)
    assert sum(task.kind == "paper" for task in tasks) == 140
    assert sum(task.kind == "tuned" for task in tasks) == 140
    assert sum(task.kind == "literal" for task in tasks) == 11 * len(main.e1071.LITERAL)
    assert sum(task.kind == "tuned time" for task in tasks) == 14 * 3
    assert max(t.trial for t in tasks if t.kind == "e1071" and t.name == "letter") == 2
    options.trials = 1
    assert {task.trial for task in main.tasks_of(options)} == {0}
    monkeypatch.setattr(main.e1071, "why_not", lambda: "no R")
    kinds = {"paper", "tuned", "official", "paper time", "tuned time"}
    assert {t.kind for t in main.tasks_of(options)} == kinds


def test_an_interrupt_ends_the_run_and_keeps_what_is_finished(tmp_path):
    code = """
import sys
from pathlib import Path
from paper import __main__, store
if __name__ == "__main__":
    store.OUT = Path(sys.argv.pop())
    __main__.e1071.why_not = lambda: "no R"
    __main__.main()
"""
    (tmp_path / "run.py").write_text(code)
    root = Path(runner.__file__).parents[1]
    words = [sys.executable, tmp_path / "run.py", "--trials", "200", "--sets", "iris", tmp_path]
    process = subprocess.Popen(
        words, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, start_new_session=True,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not list(tmp_path.glob("*.json")) and process.poll() is None:
        time.sleep(0.05)
    # A terminal sends it to all processes, and users may press the keys twice.
    os.killpg(process.pid, signal.SIGINT)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=patience.SECONDS)
    assert process.returncode == 130
    assert "the same command goes on from there" in said
    assert all(json.loads(path.read_text()) for path in tmp_path.glob("*.json"))
