"""Estimators of scikit-learn whose compiled code does not check its indices."""

import io

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from tests.model_files.broken_files import refused
from tests.model_files.mutations import zipped
from tests.model_files.saved_models import FRAME, fitted

from dcsvm.model_files import ModelFileError
from dcsvm.model_files.third_party import _parts, check_third_party


def of_type(model, name):
    return next(part for part in _parts(model) if type(part).__name__ == name)


@pytest.fixture(scope="module")
def pipelines():
    return {
        "svc": fitted("svc")[0].estimators_[0],
        "columns": fitted("columns")[0][0],
        "words": TfidfVectorizer().fit(FRAME["note"]),
    }


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
        ("words", "TfidfVectorizer", {"vocabulary_": {"a": 10**6}}, "gaps"),
        ("words", "TfidfVectorizer", {"token_pattern": "(a+)+$"}, "token_pattern"),
    ],
)
def test_estimators_of_others_are_checked(model, part, changes, problem, pipelines):
    inner = pipelines[model]
    check_third_party(inner)
    owner = of_type(inner, part)
    before = vars(owner).copy()
    try:
        vars(owner).update(changes)
        with pytest.raises(ModelFileError, match=problem):
            check_third_party(inner)
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
