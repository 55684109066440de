"""Only types on the allowlist are saved or loaded."""

import importlib
import io
import json

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.model_files.broken_files import (
    compressed,
    node,
    refused,
    sequence,
    text,
)
from tests.model_files.mutations import zipped
from tests.model_files.saved_models import LABELS, X

import dcsvm
from dcsvm import DCSVC, DivideAndConquerClassifier
from dcsvm.model_files import ModelFileError
from dcsvm.model_files.allowlist import ESTIMATORS, FUNCTIONS, INTERNALS, PLAIN

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


def test_nodes_that_hold_themselves(tmp_path, members):
    schema = json.loads(members["default"]["schema.json"])
    schema["content"]["parameters"] = node(
        "CachedNode", "builtins", "dict", __id__=schema["__id__"]
    )
    bad = zipped({**members["default"], "schema.json": json.dumps(schema).encode()})
    refused(bad, tmp_path, "damaged")


def test_types_that_are_not_known_to_be_safe_are_refused(tmp_path):
    class OwnScaler(StandardScaler):
        pass

    neighbours = DivideAndConquerClassifier(KNeighborsClassifier()).fit(X, LABELS)
    own = make_pipeline(OwnScaler(), DCSVC()).fit(X, LABELS)
    for model, name in ((neighbours, "KNeighborsClassifier"), (own, "OwnScaler")):
        with pytest.raises(ModelFileError, match=f"{name}, which is not on the list"):
            dcsvm.save(model, tmp_path / "model")
        assert list(tmp_path.iterdir()) == []


def test_everything_on_the_lists_is_there():
    """A type that a new version has moved would be refused."""
    plain = [name.rpartition(".")[::2] for names in PLAIN.values() for name in names]
    others = [
        (m, n) for names in (ESTIMATORS, FUNCTIONS, INTERNALS) for m in names for n in names[m]
    ]
    missing = [n for m, n in (*plain, *others) if not hasattr(importlib.import_module(m), n)]
    assert set(missing) <= {"_RemainderColsList"}  # of older versions


def test_one_array_in_many_places(tmp_path, members):
    """Every place would take memory for a copy of it."""
    large = io.BytesIO()
    np.save(large, np.zeros(2**20))
    for times, problem in ((1, "is missing"), (100, "the same arrays too often")):
        schema = json.loads(members["default"]["schema.json"])
        array = node("NdArrayNode", "numpy", "ndarray", type="numpy", file="large.npy")
        schema["content"] = {"many": sequence("list", *[array] * times)}
        files = {**members["default"], "schema.json": json.dumps(schema).encode()}
        data = compressed({**files, "large.npy": large.getvalue()})
        refused(data, tmp_path, problem)
