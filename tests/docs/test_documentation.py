"""Examples in docstrings, in the README and on the pages run, and say what they claim."""

import contextlib
import doctest
import importlib
import io
import math
import re
import shlex
from pathlib import Path

import pytest

import dcsvm.estimators.dcsvc
import dcsvm.estimators.meta
import dcsvm.export.c_source
import dcsvm.export.wasm
import dcsvm.inspection.explaining
import dcsvm.inspection.text

ROOT = Path(__file__).parents[2]
MODULES = [
    dcsvm.estimators.dcsvc,
    dcsvm.estimators.meta,
    dcsvm.export.c_source,
    dcsvm.export.wasm,
    dcsvm.inspection.explaining,
    dcsvm.inspection.text,
]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
# A block of Python, and what it prints where the page shows it.
EXAMPLE = re.compile(
    r"^```python\n(.*?)^```\n(?:\n^```(?:text| \{ \.text \.wrap \})\n(.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?")
# Processors differ in the last digits of a decision value, and then a row may go another way.
RELATIVE_DIFFERENCE = 0.05


@pytest.mark.parametrize("module", MODULES)
def test_docstrings(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_readme(capsys):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    assert len(example.strip().splitlines()) <= 12
    exec(example, {})
    accuracy, decisions, *_, other_accuracy = capsys.readouterr().out.strip().splitlines()
    assert float(accuracy) > 0.97
    assert float(other_accuracy) > 0.97
    assert float(decisions) < 9


def is_as_shown(printed, shown):
    """Equal, but for numbers of several digits that are nearly so."""
    texts = [NUMBER.sub("#", text).split() for text in (printed, shown)]
    numbers = [[float(n.replace(",", "")) for n in NUMBER.findall(t)] for t in (printed, shown)]
    return texts[0] == texts[1] and all(
        math.isclose(a, b, rel_tol=RELATIVE_DIFFERENCE) for a, b in zip(*numbers, strict=True)
    )


def test_is_as_shown_finds_differences():
    assert is_as_shown("3.95 of 45\n", "3.91  of 45")
    assert not is_as_shown("3.95 of 45", "3.4 of 45")
    assert not is_as_shown("3 of 45", "4 of 45")
    assert not is_as_shown("class 3", "classes 3")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_page(page, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    namespace = {}
    for example in EXAMPLE.finditer(text):
        code, shown = example.groups()
        line = text[: example.start(1)].count("\n")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + code, str(page), "exec"), namespace)
        if shown is not None:
            assert is_as_shown(printed.getvalue(), shown), printed.getvalue()
    pyplot.close("all")


def test_every_example_is_found():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert len(EXAMPLE.findall(text)) == text.count("```python"), page
        assert text.count("```text") + text.count(".text .wrap") == sum(
            bool(shown) for _, shown in EXAMPLE.findall(text)
        ), page


def test_commands_of_the_tutorial_run(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from dcsvm.cli.app import app

    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    exec(EXAMPLE.search(text)[1], {})
    commands = re.findall(r"^\$ dcsvm (.*)\n((?:(?!\$ |```).*\n)*)(\$ echo)?", text, re.MULTILINE)
    assert len(commands) >= 6
    for command, shown, is_wrong in commands:
        outcome = CliRunner().invoke(app, shlex.split(command))
        assert outcome.exit_code == (1 if is_wrong else 0), f"{command}: {outcome.output}"
        printed = outcome.output.splitlines()
        for line in shown.splitlines():
            # How fast it was is another matter.
            if "rows/s" not in line:
                assert any(is_as_shown(p, line) for p in printed), f"{line}: {outcome.output}"


def test_every_public_name_is_in_the_reference():
    text = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs/reference").glob("*.md"))
    for package in ("", ".datasets", ".inspection", ".model_files", ".report"):
        for name in importlib.import_module(f"dcsvm{package}").__all__:
            assert re.search(rf"\b{name}\b", text), f"dcsvm{package}.{name}"


def test_relative_links_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "benchmarks" / "RESULTS.md", *PAGES]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)#\s]+)", text):
            if "://" in link or "images/made/" in link:
                continue
            assert (page.parent / link).exists(), f"{page}: {link}"
