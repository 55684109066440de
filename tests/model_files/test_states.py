"""Every number of a model file is checked before it is used."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from tests.model_files.mutations import copied
from tests.model_files.saved_models import FRAME, fitted

from dcsvm.model_files import ModelFileError
from dcsvm.model_files.estimators import model_from, model_state
from dcsvm.model_files.third_party import _parts, check_third_party

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
    "shortlist": (lambda m: m["shortlist_of_fit"].update(shortlist=None), "missing"),
    "weights": (
        lambda m: m["shortlist_of_fit"]["shortlist"].update(weights=np.ones((4, 2))),
        "of shape",
    ),
    "landmarks": (
        lambda m: m["shortlist_of_fit"]["shortlist"].update(
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
    "leaf": (lambda m: m["route"]["dag"]["machine"].__setitem__(0, 1), "a leaf has a machine"),
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


@pytest.fixture(scope="module")
def states():
    return {name: model_state(fitted(name)[0]) for name in ("default", "margin")}


@pytest.mark.parametrize(("model", "name", "spoil", "problem"), CASES)
def test_every_number_is_checked(model, name, spoil, problem, states):
    state = copied(states[model])
    model_from(copied(state))  # is right as it is
    spoil(state["fitted"])
    with pytest.raises(ValueError, match=problem):
        model_from(state)


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
