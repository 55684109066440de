"""The page "DCSVC and SVC" has all that SVC has, and says truly what is absent."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.svm import SVC

from dcsvm import DCSVC

PAGE = (Path(__file__).parents[2] / "docs" / "svc.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (`.*?) \| (same|different|absent) \| .*\|$", re.MULTILINE)
STATED = {
    name: state for names, state in ROW.findall(PAGE) for name in re.findall(r"`(\w+)`", names)
}
# What SVC has from classes that it shares with others.
INTERNAL = {"unused_param", "epsilon", "nu"}


def public_names(estimator):
    return {name for name in dir(type(estimator)) if not name.startswith("_")} | {
        name for name in vars(estimator) if not name.startswith("_")
    }


@pytest.fixture(scope="module")
def fitted():
    X, y = np.array([[0.0, 1], [1, 0], [3, 3], [4, 3]]), [0, 0, 1, 1]
    return SVC(kernel="linear").fit(X, y), DCSVC(kernel="linear", probability=True).fit(X, y)


def test_the_page_names_all_that_svc_has(fitted):
    theirs, _ = fitted
    assert public_names(theirs) - INTERNAL <= set(STATED) | set(inspect.signature(SVC).parameters)
    assert set(inspect.signature(SVC).parameters) <= set(STATED)


@pytest.mark.parametrize("name", STATED)
def test_what_is_absent_is_absent_and_nothing_else(name, fitted):
    _, ours = fitted
    has = hasattr(ours, name) or name == "feature_names_in_"
    assert has == (STATED[name] != "absent")
