"""Names and values of the features of rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from tests.report.content import gather

from dcsvm import DCSVC
from dcsvm.report.features import feature_values, plain_value


def test_polars_and_sparse_rows(digits):
    X, y, X_test, y_test = digits
    names = [f"pixel {p}" for p in range(64)]
    model = DCSVC().fit(pl.DataFrame(X, schema=names), y)
    data = gather(model, pl.DataFrame(X_test, schema=names), pl.Series(y_test), max_rows=30)
    place = data["paths"]["rows"]["place"]
    assert data["paths"]["features"]["names"] == names
    np.testing.assert_allclose(data["paths"]["features"]["values"], X_test[place], atol=1e-3)
    model = DCSVC().fit(sparse.csr_matrix(X), y)
    data = gather(model, sparse.coo_matrix(X_test), y_test, max_rows=30)
    np.testing.assert_allclose(data["paths"]["features"]["values"], X_test[place], atol=1e-3)


@pytest.mark.parametrize(
    "container", [np.asarray, sparse.csr_matrix, pd.DataFrame, np.ndarray.tolist]
)
def test_of_many_features_those_that_stand_out(container):
    X = np.random.default_rng(0).normal(size=(30, 264))
    X[:, 200:] = 0
    X[5, 217] = X[6, 219] = 100
    features = feature_values(container(X), np.array([5, 8]), None)
    assert len(features["names"]) == 264
    assert len(features["places"][0]) == len(features["values"][0]) == 48
    assert 217 in features["places"][0]
    assert 219 not in features["places"][0]
    assert features["values"][0][features["places"][0].index(217)] == 100
    distance = np.abs(X[8] - X.mean(axis=0))[:200] / X.std(axis=0)[:200]
    assert set(features["places"][1]) == set(np.argsort(-distance)[:48])


def test_of_many_features_of_all_types_the_first():
    frame = pd.DataFrame({f"c{p}": ["a", "b"] for p in range(200)})
    features = feature_values(frame, np.array([1]), None)
    assert features["places"] == [list(range(48))]
    assert features["values"] == [["b"] * 48]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.float32(0.5), 0.5),
        (20241231.0, 20241231),
        (12345.678, 12346),
        (-0.000123456, -0.0001235),
        (True, "True"),
        (np.inf, "inf"),
        (np.nan, None),
        (None, None),
        (pd.NaT, None),
        (pd.NA, None),
        (pd.Timestamp("2024-02-29"), "2024-02-29"),
        (pd.Timestamp("2024-02-29 12:30"), "2024-02-29 12:30:00"),
        (2**70, str(2**70)),
        ("x" * 500, "x" * 119 + "…"),
    ],
)
def test_values_are_short(value, shown):
    assert plain_value(value) == shown
