"""Archives are the same every time, and no size in one of them is believed."""

import io
import json
import struct
import zipfile

import numpy as np
import pytest
import skops.io
from tests.model_files.broken_files import (
    RunsWhenUnpickled,
    compressed,
    refused,
    sequence,
    with_lying_directory,
)
from tests.model_files.mutations import zipped

import dcsvm
from dcsvm import DCSVC
from dcsvm.estimators.access import sample_of


def test_file_is_one_of_skops_and_no_larger_than_its_arrays(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(1000) % 5
    rows = rng.normal(size=(1000, 50)) + y[:, np.newaxis] / 10
    model = DCSVC().fit(rows, y)
    dcsvm.save(model, tmp_path / "model")
    with zipfile.ZipFile(tmp_path / "model") as archive:
        arrays = sum(i.file_size for i in archive.infolist() if i.filename.endswith(".npy"))
    pool = model.machines_.pool.nbytes + sample_of(model).X.nbytes
    assert pool < arrays < 1.5 * pool
    assert (tmp_path / "model").stat().st_size < arrays + 10_000
    assert skops.io.get_untrusted_types(file=tmp_path / "model") == []
    assert skops.io.load(tmp_path / "model")["kind"] == "DCSVC"


def test_files_that_unfold_to_more_than_is_good(tmp_path, members):
    refused(compressed(members["default"], bomb=2**25), tmp_path, "uncompressed it has 33,")
    small = {name: data for name, data in members["default"].items() if name != "schema.json"}
    refused(compressed(small, **{"schema.json": 2**25}), tmp_path, "uncompressed it has 33,")


def test_deep_nesting(tmp_path, members):
    for deep in (b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 5000 + b"1" + b"}" * 5000):
        for name in ("schema.json", "dcsvm.json"):
            refused(zipped({**members["default"], name: deep}), tmp_path, "damaged|not as|nested")
    schema = json.loads(members["default"]["schema.json"])
    for _ in range(150):
        schema["content"]["kind"] = sequence("list", schema["content"]["kind"])
    bad = zipped({**members["default"], "schema.json": json.dumps(schema).encode()})
    refused(bad, tmp_path, "nested too deeply")


@pytest.mark.parametrize("shape", [(2**44,), (2**22, 2**22), (2**62, 2), (-1,), (0,)])
@pytest.mark.parametrize("descr", ["<f8", "<U0", "|V0", "<U268435456"])
def test_arrays_that_lie_about_their_size(shape, descr, tmp_path, members):
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode() + b"\n"
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(64)
    refused(zipped({**members["default"], "1.npy": array}), tmp_path, "an array|damaged")


def test_member_names(tmp_path, members):
    buffer = io.BytesIO(zipped(members["default"]))
    with zipfile.ZipFile(buffer, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("1.npy", b"")
    refused(buffer.getvalue(), tmp_path, "same name")
    without = {name: data for name, data in members["default"].items() if name != "1.npy"}
    refused(zipped(without), tmp_path, "an array is missing")


@pytest.mark.usefixtures("nothing_runs")
def test_arrays_of_objects_are_not_read(tmp_path, members):
    objects = io.BytesIO()
    np.save(objects, np.array([RunsWhenUnpickled()], dtype=object), allow_pickle=True)
    for name in members["default"]:
        if name.endswith(".npy"):
            bad = zipped({**members["default"], name: objects.getvalue()})
            refused(bad, tmp_path, "an array holds object")


@pytest.mark.parametrize("name", ["schema.json", "dcsvm.json", "1.npy", "more"])
@pytest.mark.parametrize("length", [0, 4096, 2**27 - 1])
def test_members_that_are_longer_than_the_directory_says(name, length, tmp_path, members):
    """The check sum is that of so many bytes, so that nothing but the length is wrong."""
    others = {n: data for n, data in members["default"].items() if n != name}
    bomb = compressed(others, **{name: 2**27})
    sums = bytes(length) if length < 2**20 else b""
    lying = with_lying_directory(bomb, name, length, sums)
    refused(lying, tmp_path, "another size|damaged|uncompressed it has")


def test_members_of_wrong_length(tmp_path, members):
    for packed in (zipped(members["default"]), compressed(members["default"])):
        for name, data in members["default"].items():
            assert with_lying_directory(packed, name, len(data), data) == packed
            longer = with_lying_directory(packed, name, len(data) + 1, data)
            refused(longer, tmp_path, "another size|no model file|longer or shorter")
            shorter = with_lying_directory(packed, name, len(data) - 1, data[:-1])
            refused(shorter, tmp_path, "another size|no model file|longer or shorter")
