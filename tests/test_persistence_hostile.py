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

import dcsvm
from dcsvm import DAGSVC, OneVsOneSVC
from dcsvm.persistence import ModelFileError, load_metadata
from model_file_mutations import members_of, zipped
from saved_models import X, fitted


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
    "dcsvm.classifier.DCSVC": node(
        "ObjectNode", "dcsvm.classifier", "DCSVC", content=text({"kernel": "rbf"})
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
    refused(compressed(members["default"], bomb=2**25), tmp_path, "unfolds to 33,")
    small = {name: data for name, data in members["default"].items() if name != "schema.json"}
    refused(compressed(small, **{"schema.json": 2**25}), tmp_path, "unfolds to 33,")


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


# One number of a state set wrong, and what is said about it.
WRONG = {
    "machines.index": (lambda m: m["machines"]["index"].__setitem__(0, 10**6), "indices beyond"),
    "machines.index below": (lambda m: m["machines"]["index"].__setitem__(0, -1), "indices"),
    "machines.start": (lambda m: m["machines"]["start"].__setitem__(1, 10**6), "does not rise"),
    "machines.start end": (lambda m: m["machines"]["start"].__setitem__(-1, 0), "does not rise"),
    "machines.coef": (lambda m: m["machines"]["coef"].__setitem__(0, np.nan), "not finite"),
    "machines.pool": (lambda m: m["machines"].update(pool=np.ones((5, 9))), "of shape"),
    "machines.intercept": (
        lambda m: m["machines"].update(intercept=m["machines"]["intercept"][1:]),
        "of shape",
    ),
    "machines.coef type": (
        lambda m: m["machines"].update(coef=m["machines"]["coef"].astype(np.float32)),
        "of type float32",
    ),
    "machines.kernel": (lambda m: m["machines"]["kernel"].update(name="magic"), "is 'magic'"),
    "machines.gamma": (lambda m: m["machines"]["kernel"].update(gamma=np.inf), "not finite"),
    "classes": (lambda m: m["classes"].__setitem__(0, "zzz"), "sorted and distinct"),
    "n_features": (lambda m: m.update(n_features=2), "of shape"),
    "table.counts": (lambda m: m["table"]["counts"].__setitem__((0, 0), 0), "without rows"),
    "table.n_rows": (lambda m: m["table"]["values"]["n_rows"].__setitem__(0, 0), "no rows"),
    "theta": (lambda m: m.update(theta=0.7), "out of range"),
    "sample": (lambda m: m["sample"]["codes"].__setitem__(0, 4), "indices beyond"),
}
WRONG_DEFAULT = {
    "gap": (lambda m: m["elimination"].update(gap=-1.0), "out of range"),
    "gap is nan": (lambda m: m["elimination"].update(gap=np.nan), "out of range"),
    "levels own": (
        lambda m: m["elimination"]["levels"]["low"].__setitem__((0, 0), 9),
        "own classes",
    ),
    "levels padding": (
        lambda m: m["elimination"]["levels"]["high"].__setitem__((0, -1), 255),
        "do not exist",
    ),
    "guide": (lambda m: m["shortlist_of_fit"].update(guide=None), "missing"),
    "weights": (
        lambda m: m["shortlist_of_fit"]["guide"].update(weights=np.ones((4, 2))),
        "of shape",
    ),
    "landmarks": (
        lambda m: m["shortlist_of_fit"]["guide"].update(
            scores="landmarks", landmarks=np.array([999], np.int32)
        ),
        "indices beyond",
    ),
}


def unsort(dag):
    """Let the cuts of the node that has most of them fall."""
    node = np.diff(dag["first_cut"]).argmax()
    own = dag["cuts"][dag["first_cut"][node] : dag["first_cut"][node + 1]]
    assert len(own) > 1
    own[:] = own[::-1].copy()


WRONG_MARGIN = {
    "child": (lambda m: m["route"]["dag"]["child"].__setitem__(0, 10**6), "indices beyond"),
    "child is the root": (lambda m: m["route"]["dag"]["child"].__setitem__(0, 4), "of its parent"),
    "machine": (lambda m: m["route"]["dag"]["machine"].__setitem__(4, 99), "indices beyond"),
    "leaf": (lambda m: m["route"]["dag"]["machine"].__setitem__(0, 1), "a leaf asks"),
    "cuts": (lambda m: m["route"]["dag"]["cuts"].__setitem__(0, np.nan), "not a number"),
    "cuts order": (lambda m: unsort(m["route"]["dag"]), "do not rise"),
    "first_cut": (lambda m: m["route"]["dag"]["first_cut"].__setitem__(5, 99), "does not rise"),
    "candidates": (
        lambda m: m["route"]["dag"]["candidates"].__setitem__((4, 0), 2**63),
        "do not exist",
    ),
    "root": (lambda m: m["route"]["dag"]["candidates"].__setitem__((4, 0), 3), "not all classes"),
    "sides": (lambda m: m["route"]["sides"]["to_i"].__setitem__((0, 0), 2**40), "do not exist"),
    "cost": (lambda m: m["route"]["sides"]["cost"].__setitem__(0, 0.0), "costs nothing"),
    "criterion": (lambda m: m["route"].update(criterion="best"), "is 'best'"),
    "max_nodes": (lambda m: m["route"].update(max_nodes=0), "out of range"),
}
CASES = [
    *(("default", name, *case) for name, case in {**WRONG, **WRONG_DEFAULT}.items()),
    *(("margin", name, *case) for name, case in {**WRONG, **WRONG_MARGIN}.items()),
]


def copied(value):
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    return value.copy() if isinstance(value, np.ndarray | list) else value


@pytest.fixture(scope="module")
def states():
    from dcsvm.persistence.estimators import model_state

    return {name: model_state(fitted(name)[0]) for name in ("default", "margin")}


@pytest.mark.parametrize(("model", "name", "spoil", "problem"), CASES)
def test_every_number_is_checked(model, name, spoil, problem, states):
    from dcsvm.persistence.estimators import model_from

    state = copied(states[model])
    model_from(copied(state))  # is right as it is
    spoil(state["fitted"])
    with pytest.raises(ValueError, match=problem):
        model_from(state)


def parts_of(model):
    from dcsvm.persistence.foreign import _parts

    return list(_parts(model))


def of_type(model, name):
    return next(part for part in parts_of(model) if type(part).__name__ == name)


@pytest.fixture(scope="module")
def pipelines():
    return {name: fitted(name)[0] for name in ("svc", "columns", "table")}


@pytest.mark.parametrize(
    ("model", "part", "changes", "problem"),
    [
        ("svc", "SVC", {"_n_support": np.array([10**6, 1], np.int32)}, "support vectors"),
        ("svc", "SVC", {"_dual_coef_": np.ones((1, 1))}, "support vectors"),
        ("svc", "SVC", {"_intercept_": np.ones(0)}, "support vectors"),
        ("svc", "SVC", {"n_jobs": 10**6}, "more than 256 jobs"),
        ("columns", "OneHotEncoder", {"_n_features_outs": [1]}, "one column per category"),
        ("columns", "OneHotEncoder", {"_infrequent_enabled": False}, "one column per category"),
        ("columns", "Pipeline", {"memory": "cache"}, "cache"),
        ("table", "TfidfVectorizer", {"vocabulary_": {"a": 10**6}}, "gaps"),
        ("table", "TfidfVectorizer", {"token_pattern": "(a+)+$"}, "token_pattern"),
    ],
)
def test_estimators_of_others_are_checked(model, part, changes, problem, pipelines):
    from dcsvm.persistence.foreign import check_foreign

    found = pipelines[model]
    inner = found.estimators_[0] if model == "svc" else found[0]
    check_foreign(inner)
    owner = of_type(inner, part)
    before = vars(owner).copy()
    try:
        vars(owner).update(changes)
        with pytest.raises(ModelFileError, match=problem):
            check_foreign(inner)
    finally:
        vars(owner).clear()
        vars(owner).update(before)


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
