"""Every case of the corpus, and a few seeds of every target: none behaves badly."""

from pathlib import Path

import pytest
from tests.fuzz.targets import TARGETS

FOUND = Path(__file__).parent / "found"
CASES = sorted(FOUND.iterdir()) if FOUND.is_dir() else []


@pytest.mark.parametrize("name", TARGETS)
def test_seeds(name):
    target = TARGETS[name]
    for data in target.seeds()[:12]:
        target.try_case(data)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cases_that_were_faults(case):
    TARGETS[case.name.partition("-")[0]].try_case(case.read_bytes())
