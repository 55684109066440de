"""Examples in docstrings and in the README run, and say what they claim."""

import doctest
import re
from pathlib import Path

import pytest

import dcsvm.classifier
import dcsvm.inspection.explaining
import dcsvm.inspection.text
import dcsvm.meta

MODULES = [dcsvm.classifier, dcsvm.meta, dcsvm.inspection.explaining, dcsvm.inspection.text]


@pytest.mark.parametrize("module", MODULES)
def test_docstrings(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_readme(capsys):
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    assert len(example.strip().splitlines()) <= 12
    exec(example, {})
    accuracy, decisions, *_, other_accuracy = capsys.readouterr().out.strip().splitlines()
    assert float(accuracy) > 0.97
    assert float(other_accuracy) > 0.97
    assert float(decisions) < 9
