"""Model files of strangers: nothing in them is run, and nothing wrong in them is used."""

import io
import json
import pickle
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
import skops.io
from tests.model_files.mutations import members_of, zipped
from tests.model_files.saved_models import X, fitted

import dcsvm
from dcsvm import DAGSVC, OneVsOneSVC
from dcsvm.model_files import ModelFileError, load_metadata


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """The members of the files of some models."""
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name in ("default", "margin", "trees"):
        dcsvm.save(fitted(name)[0], folder / name)
        found[name] = members_of((folder / name).read_bytes())
    return found


def refused(data, tmp_path, match):
    """That a file cannot be loaded, and why; without taking much time or memory to find out."""
    path = tmp_path / "model.dcsvm"
    path.write_bytes(data)
    tracemalloc.start()
    with pytest.raises(ModelFileError, match=match) as caught:
        dcsvm.load(path)
    assert tracemalloc.get_traced_memory()[1] < 10 * len(data) + 2**26
    tracemalloc.stop()
    message = str(caught.value)
    assert "model.dcsvm' cannot be loaded: " in message
    assert message.endswith(".")
    assert "\n" not in message
    return message


class RunsWhenUnpickled:
    def __reduce__(self):
        return (Path.touch, (Path("pwned"),))


@pytest.fixture
def nothing_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    assert not Path("pwned").exists()


@pytest.mark.usefixtures("nothing_runs")
def test_pickles_are_not_read(tmp_path):
    bad = pickle.dumps(RunsWhenUnpickled())
    refused(bad, tmp_path, "no model file")
    objects = io.BytesIO()
    np.save(objects, np.array([RunsWhenUnpickled()], dtype=object), allow_pickle=True)
    refused(objects.getvalue(), tmp_path, "no model file")
    refused(zipped({"data.pkl": bad}), tmp_path, "not a model of dcsvm")


@pytest.mark.usefixtures("nothing_runs")
def test_arrays_of_objects_are_not_read(tmp_path, members):
    objects = io.BytesIO()
    np.save(objects, np.array([RunsWhenUnpickled()], dtype=object), allow_pickle=True)
    for name in members["default"]:
        if name.endswith(".npy"):
            bad = zipped({**members["default"], name: objects.getvalue()})
            refused(bad, tmp_path, "an array holds object")


def node(loader, module, cls, **content):
    return {"__loader__": loader, "__module__": module, "__class__": cls, **content}


def text(value):
    return node("JsonNode", "builtins", "str", content=json.dumps(value), is_json=True)


def sequence(kind, *parts):
    return node(f"{kind.title()}Node", "builtins", kind, content=list(parts))


TOUCH = sequence("tuple", text("pwned"))
DANGEROUS = {
    "os.system": node("FunctionNode", "os", "system"),
    "builtins.eval": node("TypeNode", "builtins", "eval"),
    "operator.methodcaller": node(
        "OperatorFuncNode",
        "operator",
        "methodcaller",
        attrs=sequence("tuple", text("touch")),
    ),
    "pathlib.Path": node("ConstructorFromReduceNode", "pathlib", "Path", content=TOUCH),
    "functools.partial": node(
        "PartialNode",
        "functools",
        "partial",
        content={
            "func": node("FunctionNode", "os", "system"),
            "args": TOUCH,
            "kwds": text(None),
            "namespace": text(None),
        },
    ),
    "subprocess.Popen": node("ObjectNode", "subprocess", "Popen", content=text(None)),
    "pathlib.PosixPath": node(
        "MethodNode",
        "pathlib",
        "PosixPath",
        content={
            "func": "touch",
            "obj": node("ConstructorFromReduceNode", "pathlib", "PosixPath", content=TOUCH),
        },
    ),
    "builtins.map": node("TypeNode", "builtins", "map"),
    "collections.defaultdict": node("DefaultDictNode", "collections", "defaultdict"),
    "dcsvm.estimators.dcsvc.DCSVC": node(
        "ObjectNode", "dcsvm.estimators.dcsvc", "DCSVC", content=text({"kernel": "rbf"})
    ),
    "sklearn.neighbors": node("ObjectNode", "sklearn.neighbors._kd_tree", "KDTree"),
    "sklearn.preprocessing._data.os": node("ObjectNode", "sklearn.preprocessing._data", "os"),
    "sklearn.preprocessing.StandardScaler": node(
        "ObjectNode", "sklearn.preprocessing", "StandardScaler"
    ),
    "builtins.bytes": node("BytesNode", "builtins", "bytes", file="schema.json"),
    "scipy.sparse": node("SparseMatrixNode", "scipy.sparse._csr", "csr_matrix", type="scipy"),
}


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("name", DANGEROUS)
def test_types_that_are_not_on_the_list(name, tmp_path, members):
    for hidden in (False, True):
        schema = json.loads(members["default"]["schema.json"])
        content = schema["content"]["parameters"]["content"]
        content["C"] = sequence("list", DANGEROUS[name]) if hidden else DANGEROUS[name]
        bad = zipped({**members["default"], "schema.json": json.dumps(schema).encode()})
        message = refused(bad, tmp_path, "not on the list of what is safe")
        assert name in message


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


def compressed(members, **large):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        for name, n_bytes in large.items():
            with archive.open(name, "w", force_zip64=True) as member:
                for _ in range(n_bytes // 2**20):
                    member.write(bytes(2**20))
    return buffer.getvalue()


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


def test_nodes_that_hold_themselves(tmp_path, members):
    schema = json.loads(members["default"]["schema.json"])
    schema["content"]["parameters"] = node(
        "CachedNode", "builtins", "dict", __id__=schema["__id__"]
    )
    bad = zipped({**members["default"], "schema.json": json.dumps(schema).encode()})
    refused(bad, tmp_path, "damaged")


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


def test_decision_trees_are_checked(tmp_path, members):
    """Children and features beyond all bounds, and more nodes than there are."""
    arrays = {
        name: np.load(io.BytesIO(data))
        for name, data in members["trees"].items()
        if name.endswith(".npy")
    }
    name, nodes = next((n, a) for n, a in arrays.items() if a.dtype.names and len(a) > 3)
    for field, at, value, problem in [
        ("left_child", 0, 10**9, "do not exist"),
        ("right_child", 0, 0, "do not exist"),
        ("feature", 0, 10**6, "features that do not exist"),
        ("left_child", 0, -1, "not a tree"),
    ]:
        bad = nodes.copy()
        bad[field][at] = value
        buffer = io.BytesIO()
        np.save(buffer, bad)
        refused(zipped({**members["trees"], name: buffer.getvalue()}), tmp_path, problem)
    schema = members["trees"]["schema.json"].decode()
    count = f'"content":"{len(nodes)}"'
    assert count in schema
    longer = schema.replace(count, '"content":"1000000"').encode()
    bad = zipped({**members["trees"], "schema.json": longer})
    refused(bad, tmp_path, "longer than it says")


def test_models_are_what_they_say(tmp_path, members):
    """Another class than the one that was saved lacks something, or has all that it needs."""
    for kind, cls in [("DAGSVC", DAGSVC), ("OneVsOneSVC", OneVsOneSVC)]:
        schema = members["margin"]["schema.json"].decode()
        other = zipped(
            {
                **members["margin"],
                "schema.json": schema.replace('\\"DCSVC\\"', f'\\"{kind}\\"').encode(),
            }
        )
        (tmp_path / "model").write_bytes(other)
        assert type(dcsvm.load(tmp_path / "model")) is cls
    wrong = schema.replace('\\"DCSVC\\"', '\\"DivideAndConquerClassifier\\"').encode()
    refused(zipped({**members["margin"], "schema.json": wrong}), tmp_path, "is missing")
