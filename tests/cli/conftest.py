"""Files that many tests of the command line need."""

from functools import cache

import pandas as pd
import pytest
from tests.cli.cli_tools import colourful_flowers, fine, flowers

from dcsvm.cli.models import load_model


@pytest.fixture
def flower_file(tmp_path):
    flowers().to_csv(tmp_path / "flowers.csv", index=False)
    return tmp_path / "flowers.csv"


@pytest.fixture
def table(tmp_path):
    """Writes a frame as CSV."""

    def write(frame, name="table.csv"):
        frame.to_csv(tmp_path / name, index=False)
        return tmp_path / name

    return write


@pytest.fixture(scope="session")
def fitted(tmp_path_factory):
    path = tmp_path_factory.mktemp("fitted")
    frame = colourful_flowers(120).assign(day=pd.date_range("2020-02-01", periods=120).astype(str))
    frame.to_csv(path / "train.csv", index=False)
    fine("fit", path / "train.csv", "-t", "kind", "-o", path / "m")
    return path


@pytest.fixture
def folder(fitted, tmp_path, monkeypatch):
    """A folder with a model m and its training table, of which the model is read only once."""
    for name in ("m", "train.csv"):
        (tmp_path / name).symlink_to(fitted / name)
    monkeypatch.setattr("dcsvm.cli.models.load_model", lambda path: read_once(path.resolve()))
    return tmp_path


read_once = cache(load_model)
