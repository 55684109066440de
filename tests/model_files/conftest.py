"""Files and states of saved models, for tests that break them."""

from pathlib import Path

import pytest
from tests.model_files.mutations import copied, members_of
from tests.model_files.saved_models import fitted

import dcsvm
from dcsvm.model_files.estimators import model_from, model_state


@pytest.fixture(scope="session")
def members(tmp_path_factory):
    """The members of the files of some models."""
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name in ("default", "margin", "trees"):
        dcsvm.save(fitted(name)[0], folder / name)
        found[name] = members_of((folder / name).read_bytes())
    return found


@pytest.fixture
def nothing_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    assert not Path("pwned").exists()


@pytest.fixture(scope="session")
def states():
    return {name: model_state(fitted(name)[0]) for name in ("default", "margin", "probability")}


@pytest.fixture
def refused_state(states):
    """That a state with something wrong in it is refused, and why."""

    def check(model, spoil, problem):
        state = copied(states[model])
        model_from(copied(state))  # is right as it is
        spoil(state["fitted"])
        with pytest.raises(ValueError, match=problem):
            model_from(state)

    return check
