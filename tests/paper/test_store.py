"""Results of trials in files."""

from pathlib import Path

from paper.runner import Task

from paper import (
    store,
)


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
