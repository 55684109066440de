"""The confusion matrix, and the All-Predictions table in bytes."""

import base64
import zlib

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from tests.report.content import gather

from dcsvm.report import matrices
from dcsvm.report.matrices import similar_order


def test_confusion_is_that_of_scikit_learn(case):
    model, X, y, data = case
    found = data["confusion"]
    counts = np.zeros((10, 10), dtype=int)
    counts[found["true"], found["pred"]] = found["count"]
    np.testing.assert_array_equal(counts, confusion_matrix(y, model.predict(X)))
    assert sorted(found["similar"]) == list(range(10))


def test_table_is_packed_in_bytes(case):
    model, _, _, data = case
    cells = unpacked(data["table"]).reshape(45, 10)
    share = model.table_.likelihoods
    theta = getattr(model, "theta_", model.theta)
    undecided = model.table_.exceeds(0, theta) & model.table_.exceeds(1, theta)
    np.testing.assert_array_equal(cells >= 128, undecided)
    np.testing.assert_allclose((cells & 127) / 100, share, atol=0.0101)
    np.testing.assert_array_equal((cells & 127) == 0, share == 0)
    np.testing.assert_array_equal((cells & 127) == 100, share == 1)
    assert data["table"]["undecided"] == pytest.approx(1 - model.table_.separation(theta))
    decisions = np.array(data["summary"]["decisions"])
    assert sum(data["table"]["asked"]) == decisions @ np.arange(len(decisions))


def unpacked(table):
    return np.frombuffer(zlib.decompress(base64.b64decode(table["cells"])), dtype=np.uint8)


def test_too_large_a_table_keeps_the_machines_of_most_rows(digits, fitted, monkeypatch):
    _, _, X_test, y_test = digits
    whole = gather(fitted, X_test, y_test)["table"]
    monkeypatch.setattr(matrices, "MOST_CELLS", 100)
    part = gather(fitted, X_test, y_test)["table"]
    assert len(part["shown"]) == 10
    assert part["n_all"] == 45
    assert sorted(part["asked"]) == sorted(whole["asked"])[-10:]
    np.testing.assert_array_equal(
        unpacked(part).reshape(10, 10), unpacked(whole).reshape(45, 10)[part["shown"]]
    )
    assert part["undecided"] == whole["undecided"]


def test_confused_classes_stand_side_by_side():
    counts = 100 * np.eye(6, dtype=np.int64)
    for a, b in ((0, 4), (5, 2), (3, 1)):
        counts[a, b] = 60
    order = similar_order(counts)
    assert sorted(order) == list(range(6))
    for a, b in ((0, 4), (5, 2), (3, 1)):
        assert abs(order.index(a) - order.index(b)) == 1
