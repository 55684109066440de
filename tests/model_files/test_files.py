"""`save`, `load` and `load_metadata`."""

import io
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import skops.io
from sklearn.neighbors import KNeighborsClassifier
from tests.model_files.broken_files import RunsWhenUnpickled, refused
from tests.model_files.mutations import zipped
from tests.model_files.saved_models import LABELS, X

import dcsvm
from dcsvm import DCSVC, DivideAndConquerClassifier
from dcsvm.model_files import ModelFileError, load_metadata


def test_metadata(tmp_path):
    path = tmp_path / "model"
    model = DCSVC().fit(X, LABELS)
    metadata = {"columns": {"a": "float64"}, "accuracy": [0.5, None], "text": "Ωμέγα"}
    dcsvm.save(model, path, metadata=metadata)
    assert load_metadata(path) == metadata
    loaded, found = dcsvm.load(path, return_metadata=True)
    assert found == metadata
    assert isinstance(loaded, DCSVC)
    dcsvm.save(model, path)
    assert load_metadata(path) is None
    with pytest.raises(TypeError, match="metadata must be something that JSON can hold"):
        dcsvm.save(model, path, metadata={"model": model})
    assert load_metadata(path) is None


def test_places_that_cannot_be_written_or_read(tmp_path):
    model = DCSVC().fit(X, LABELS)
    with pytest.raises(FileNotFoundError, match="no directory"):
        dcsvm.save(model, tmp_path / "nowhere" / "model")
    with pytest.raises(IsADirectoryError):
        dcsvm.save(model, tmp_path)
    for read in (dcsvm.load, load_metadata):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "nothing")
        with pytest.raises(IsADirectoryError):
            read(tmp_path)


def test_failure_leaves_the_older_file(tmp_path, monkeypatch):
    path = tmp_path / "model"
    model = DCSVC().fit(X, LABELS)
    dcsvm.save(model, path)
    before = path.read_bytes()
    with pytest.raises(ModelFileError):
        dcsvm.save(DivideAndConquerClassifier(KNeighborsClassifier()).fit(X, LABELS), path)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        dcsvm.save(DCSVC(C=100).fit(X, LABELS), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_import_loads_nothing_of_files():
    code = "import dcsvm, sys; assert 'skops' not in sys.modules, 'skops'; dcsvm.load; dcsvm.save"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"load", "save"} <= set(dcsvm.__all__)
    with pytest.raises(AttributeError, match="no attribute 'sove'"):
        _ = dcsvm.sove


@pytest.mark.usefixtures("nothing_runs")
def test_pickles_are_not_read(tmp_path):
    bad = pickle.dumps(RunsWhenUnpickled())
    refused(bad, tmp_path, "no model file")
    objects = io.BytesIO()
    np.save(objects, np.array([RunsWhenUnpickled()], dtype=object), allow_pickle=True)
    refused(objects.getvalue(), tmp_path, "no model file")
    refused(zipped({"data.pkl": bad}), tmp_path, "not a model of dcsvm")


@pytest.mark.usefixtures("nothing_runs")
def test_older_rules_of_skops_are_not_used(tmp_path, members):
    for protocol in (0, 1, -1, True, None, "2", 99):
        schema = {**json.loads(members["default"]["schema.json"]), "protocol": protocol}
        bad = zipped({**members["default"], "schema.json": json.dumps(schema).encode()})
        refused(bad, tmp_path, "protocol")


def test_other_files_of_skops(tmp_path):
    skops.io.dump(X, tmp_path / "model.dcsvm")
    with pytest.raises(ModelFileError, match="not a model of dcsvm"):
        dcsvm.load(tmp_path / "model.dcsvm")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"format": "another"}, "not a model of dcsvm"),
        ({"format_version": 2, "dcsvm_version": "9.9"}, r"dcsvm 9\.9, which is newer.*update"),
        ({"format_version": 0}, "out of range"),
        ({"format_version": "1"}, "out of range"),
        ({"dcsvm_version": None}, "not a text"),
    ],
)
def test_version(changes, problem, tmp_path, members):
    header = {**json.loads(members["default"]["dcsvm.json"]), **changes}
    bad = zipped({**members["default"], "dcsvm.json": json.dumps(header).encode()})
    refused(bad, tmp_path, problem)
    with pytest.raises(ModelFileError):
        load_metadata(tmp_path / "model.dcsvm")


def test_parts_of_files(tmp_path, members):
    data = zipped(members["default"])
    for length in (0, 1, 100, len(data) // 2, len(data) - 1):
        refused(data[:length], tmp_path, "no model file")
    broken = bytearray(data)
    broken[data.index(b"NUMPY") + 200] ^= 1  # one bit of an array
    refused(bytes(broken), tmp_path, "no model file|damaged")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="devices of POSIX")
@pytest.mark.parametrize("read", [dcsvm.load, load_metadata])
def test_devices_and_pipes_are_not_read(read, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", "/dev/null", tmp_path / "pipe"):
        with pytest.raises(ModelFileError, match=r"cannot be loaded: it is a device or a pipe\. "):
            read(path)
    (tmp_path / "link").symlink_to("/dev/zero")
    with pytest.raises(ModelFileError, match="device"):
        read(tmp_path / "link")
