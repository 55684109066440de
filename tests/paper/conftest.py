"""Trials that the tests share."""

import json

import pytest
from paper.example import GlassExample
from paper.results import Results
from paper.runner import Task

from paper import (
    problems,
    runner,
)


@pytest.fixture(scope="session")
def by_task():
    """Real trials of sets that every machine has."""
    names = ("artificial1", "iris", "wine")
    kinds = (*problems.SETTINGS, *problems.TIMES.values())
    tasks = [Task(n, kind, t, True) for n in names for kind in kinds for t in (0, 1)]
    return {task: json.loads(json.dumps(runner.run_task(task))) for task in tasks}


@pytest.fixture
def results(by_task):
    return Results(by_task)


@pytest.fixture(scope="session")
def example(official_folder):
    return GlassExample()
