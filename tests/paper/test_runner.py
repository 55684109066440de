"""Running tasks in processes."""

import subprocess
import sys
from pathlib import Path

from paper.runner import Task

from paper import (
    runner,
    store,
)


def test_an_interrupted_run_goes_on(monkeypatch, tmp_path):
    monkeypatch.setattr(store, "OUT", tmp_path)
    tasks = [Task("artificial1", "paper", t, True) for t in range(3)]
    store.save(tasks[1], {"kept": 1})
    assert list(runner.run_all(tasks, only_saved=True)) == [tasks[1]]
    assert store.saved(tasks[0]) is None
    assert store.saved(tasks[1]) == {"kept": 1}
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]


def test_kept_results_are_used_and_nothing_else_is_run(monkeypatch, tmp_path):
    monkeypatch.setattr(store, "OUT", tmp_path)
    tasks = [Task("artificial1", "paper", 0, True)]
    store.save(tasks[0], {"kept": 1})

    def never(*_, **__):
        raise AssertionError

    monkeypatch.setattr(runner, "ProcessPoolExecutor", never)
    assert runner.run_all(tasks) == {tasks[0]: {"kept": 1}}


def test_a_process_ends_when_its_parent_is_gone():
    code = "import time; from paper.runner import end_with; end_with(-1); time.sleep(600)"
    root = Path(runner.__file__).parents[1]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, timeout=500).returncode == 1


def test_quick_sets_come_first_then_trial_by_trial():
    names = [("poker", 1), ("iris", 1), ("letter", 0), ("wine", 0), ("poker", 0)]
    tasks = sorted((Task(name, "paper", t, False) for name, t in names), key=runner.order)
    order = [("wine", 0), ("iris", 1), ("poker", 0), ("letter", 0), ("poker", 1)]
    assert [(task.name, task.trial) for task in tasks] == order
