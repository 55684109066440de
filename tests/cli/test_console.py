"""What is printed for people and for programs."""

import json

import numpy as np
from tests.cli.cli_tools import (
    fine,
    flowers,
)

import dcsvm
import dcsvm.cli
from dcsvm import DCSVC
from dcsvm.cli.console import Console


def test_results_for_people_and_for_machines(table, tmp_path):
    path = table(flowers())
    words = ("fit", path, "-t", "kind", "-o", tmp_path / "m")
    people = fine(*words)
    assert "Held-out rows: 18" in people.out
    assert "fitted to all 90 rows, the held-out ones included" in people.out
    assert "\x1b" not in people.out + people.err
    document = json.loads(fine(*words, "--json").out)
    assert f"{100 * document['figures']['accuracy']:.2f}" in people.out
    assert (
        document["support_vectors"] == dcsvm.load(tmp_path / "m")[-1].machines_.n_distinct_support
    )
    assert fine(*words, "--quiet").err == ""


def test_where_texts_go(capsys):
    console = Console()
    console.print("a result")
    console.note("a note")
    console.note("a note")
    console.status("being done")
    console.document({"not": "asked for"})
    out, err = capsys.readouterr()
    assert out == "a result\n"
    assert err == "note: a note\nbeing done\n"


def test_json_is_all_that_is_printed(capsys):
    console = Console(as_json=True, quiet=True)
    console.heading("title")
    console.pairs([("name", "value")])
    console.summary("for people")
    console.note("a note")
    console.document({"n": np.int64(3), "values": np.array([0.5, 1.0]), "type": int})
    out, err = capsys.readouterr()
    assert err == ""
    assert json.loads(out) == {
        **{"n": 3, "values": [0.5, 1.0], "type": "<class 'int'>", "notes": ["a note"]},
    }


def test_bars_appear_on_a_terminal_only(capsys, monkeypatch):
    for console in (Console(), Console(quiet=True)):
        with console.progress("Rows", 3) as advance:
            advance(2)
        with console.training_progress("Fitting"):
            DCSVC().fit(np.eye(6), [0, 1, 2] * 2)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Console().progress("Rows", 3, "rows") as advance:
        advance(2)
    assert "2/3" in capsys.readouterr().err
