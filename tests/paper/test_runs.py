"""Running paper/: what is run, what is kept, what an interrupt leaves, and the bar."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from paper.progress import Bar
from paper.runner import Task

from paper import __main__ as main
from paper import problems, runner, store


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


# Trials that are kept


def test_an_interrupted_run_goes_on(monkeypatch, tmp_path):
    monkeypatch.setattr(store, "OUT", tmp_path)
    tasks = [Task("artificial1", "paper", t, True) for t in range(3)]
    store.save(tasks[1], {"kept": 1})
    assert list(runner.run_all(tasks, only_saved=True)) == [tasks[1]]
    assert store.saved(tasks[0]) is None
    assert store.saved(tasks[1]) == {"kept": 1}
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]


def test_half_a_file_is_no_result(monkeypatch, tmp_path):
    monkeypatch.setattr(store, "OUT", tmp_path)
    task = Task("artificial1", "paper", 0, True)
    store.save(task, {"kept": 1})
    store.path_of(task).write_text('{"ke')
    assert store.saved(task) is None


def test_a_result_is_known_by_what_it_depends_on(monkeypatch):
    task = Task("artificial1", "paper", 0, False)
    others = [task._replace(fast=True), task._replace(trial=1), task._replace(kind="tuned")]
    paths = {store.path_of(t) for t in [task, *others]}
    assert len(paths) == 4
    monkeypatch.setattr(store, "_digest_of", lambda name: "other code")
    assert store.path_of(task) not in paths


def test_comments_do_not_count_but_code_does(tmp_path):
    file = tmp_path / "code.py"
    seen = []
    for text in ('"""Doc."""\nx = 1\n', "x = 1  # one\n", "x = 2\n"):
        file.write_text(text)
        seen.append(store._meaning(file))
    assert seen[0] == seen[1] != seen[2]


def test_code_that_counts_is_that_which_fits_and_predicts():
    found = store._closure(Path(store.dcsvm.__file__).parent)
    assert {
        "estimators/dcsvc",
        "machines/pairwise",
        "training/compiled",
        "routing/elimination/linear",
        "routing/dag/splitting",
    } <= found
    assert not any(name.startswith("datasets") for name in found)


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
    # A terminal sends it to all processes, and the impatient send it twice.
    os.killpg(process.pid, signal.SIGINT)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from there" in said
    assert all(json.loads(path.read_text()) for path in tmp_path.glob("*.json"))


def test_quick_sets_come_first_then_trial_by_trial():
    names = [("poker", 1), ("iris", 1), ("letter", 0), ("wine", 0), ("poker", 0)]
    tasks = sorted((Task(name, "paper", t, False) for name, t in names), key=runner.turn)
    order = [("wine", 0), ("iris", 1), ("poker", 0), ("letter", 0), ("poker", 1)]
    assert [(task.name, task.trial) for task in tasks] == order


# The bar


def test_time_left_follows_from_the_pace_of_this_run():
    now = [0.0]
    bar = Bar(100, done=50, stream=io.StringIO(), clock=lambda: now[0])
    assert "--:-- left" in bar.line()
    now[0] = 60.0
    bar.advance(10, "vowel")  # 10 in a minute, 40 to go
    assert bar.seconds_left() == pytest.approx(240)
    text = bar.stream.getvalue()
    assert "60%" in text
    assert "04:00 left  vowel" in text


def test_a_log_gets_a_line_now_and_then():
    now = [0.0]
    bar = Bar(10, stream=io.StringIO(), clock=lambda: now[0])
    for tens in range(9):
        now[0] = 10.0 * tens
        bar.advance(1)
    assert bar.stream.getvalue().count("\n") == 3
