"""Machines with no data sets, and with an OpenML that a test fills."""

import pytest
from sklearn.utils import Bunch


@pytest.fixture
def no_folder(monkeypatch, tmp_path):
    """A machine that has no data sets."""
    monkeypatch.setenv("DCSVM_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def openml(monkeypatch, no_folder):
    """OpenML as far as a test gives it: {data_id: (data, target)}."""
    shelf = {}

    def fetch_openml(*, data_id, as_frame, parser):
        assert as_frame
        data, target = shelf[data_id]
        return Bunch(data=data, target=target)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    return shelf
