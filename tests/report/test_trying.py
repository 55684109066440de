"""The data of the form in which values are tried."""

import base64

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from dcsvm import DCSVC, DivideAndConquerClassifier
from dcsvm.report.trying import form


def problem():
    random = np.random.default_rng(0)
    y = np.arange(90) % 3
    return random.normal(size=(90, 3)) + y[:, np.newaxis] * 3, y


def test_rows_are_those_of_the_page_in_the_order_of_the_model():
    X, y = problem()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    made = form(DCSVC().fit(frame, y), frame[["c", "a", "b"]], np.array([5, 2]))
    rows = np.frombuffer(base64.b64decode(made["rows"]), dtype=np.float32).reshape(-1, 3)
    assert (rows == X[[5, 2]].astype(np.float32)).all()
    assert made["names"] == ["a", "b", "c"]
    assert base64.b64decode(made["module"])[:4] == b"\0asm"
    np.testing.assert_allclose(made["low"], X.min(axis=0), rtol=1e-3)
    np.testing.assert_allclose(made["high"], X.max(axis=0), rtol=1e-3)
    assert made["whole"] == [False] * 3
    assert not made["may_miss"]


def test_a_form_that_cannot_be_has_a_reason(monkeypatch):
    X, y = problem()
    clf = DCSVC().fit(X, y)
    meta = DivideAndConquerClassifier(LogisticRegression()).fit(X, y)
    rows = np.arange(3)
    assert "DivideAndConquerClassifier" in form(meta, X, rows)["reason"]
    assert "not numbers" in form(clf, np.full((3, 3), "a"), rows)["reason"]
    wide = np.tile(X, 80)
    assert "too many" in form(DCSVC().fit(wide, y), wide, rows)["reason"]
    monkeypatch.setattr("dcsvm.report.trying.MOST_BYTES", 1000)
    assert "MB" in form(clf, X, rows)["reason"]
