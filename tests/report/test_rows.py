"""The rows of a report: which are drawn, their classes, and their features."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_digits
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from dcsvm import DCSVC
from dcsvm.report.collecting import collect
from dcsvm.report.features import feature_values, plain_value
from dcsvm.report.rows import choose_rows


def gather(model, X, y, **changes):
    settings = {"title": None, "max_rows": 2000, "random_state": 0}
    return collect(model, X, y, **{**settings, **changes})


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    return X[:600], y[:600], X[600:800], y[600:800]


def test_chosen_rows_show_all_classes_and_wrong_answers():
    random = np.random.RandomState(0)
    truth = np.repeat(np.arange(40), 50)
    predicted = truth.copy()
    predicted[::25] = (truth[::25] + 1) % 40
    chosen = choose_rows(truth, predicted, 200, random)
    assert len(chosen) == 200
    assert np.all(np.diff(chosen) > 0)
    assert set(truth[chosen]) == set(predicted[chosen]) == set(range(40))
    assert (truth != predicted)[chosen].sum() >= 60
    assert (truth == predicted)[chosen].sum() >= 60
    np.testing.assert_array_equal(choose_rows(truth, predicted, 5000, random), np.arange(2000))
    assert len(choose_rows(None, predicted, 20, random)) == 20


def test_of_many_rows_some_are_drawn(digits):
    X, y, X_test, y_test = digits
    model = DCSVC().fit(X, y)
    data = gather(model, X_test, y_test, max_rows=50)
    again = gather(model, X_test, y_test, max_rows=50)
    other = gather(model, X_test, y_test, max_rows=50, random_state=1)
    place = data["rows"]["place"]
    assert len(place) == data["model"]["n_rows"] == 50
    assert data["model"]["n_rows_passed"] == 200
    assert place == again["rows"]["place"] != other["rows"]["place"]
    assert data["summary"]["ours"]["accuracy"] == model.score(X_test[place], y_test[place])
    np.testing.assert_array_equal(
        model.classes_[data["rows"]["predicted"]], model.predict(X_test[place])
    )


def test_labels_may_be_missing_or_unknown(digits):
    X, y, X_test, y_test = digits
    model = DCSVC().fit(X, y.astype(str))
    labels = y_test.astype(str).astype(object)
    labels[:3] = [None, np.nan, pd.NA]
    labels[3:5] = "eleven"
    data = gather(model, X_test, labels)
    right = model.predict(X_test[5:]) == labels[5:]
    assert data["summary"]["ours"]["accuracy"] == pytest.approx(right.sum() / 197)
    assert data["rows"]["truth"][:5] == [-1, -1, -1, 10, 10]
    assert data["classes"] == [*"0123456789", "eleven"]
    assert data["model"]["n_labelled"] == 197
    assert data["model"]["n_unseen"] == 2
    labels[5:40] = [f"new {t}" for t in range(35)]
    assert gather(model, X_test, labels)["classes"][10:] == ["(not in training)"]


def messy(n, random):
    colour = random.choice(["red", "green", "blue"], n).astype(object)
    size = random.normal(size=n) + 3 * (colour == "red") - 3 * (colour == "blue")
    size[::7] = np.nan
    colour[::11] = None
    day = pd.Timestamp("2024-02-27") + pd.to_timedelta(random.integers(0, 5, n), unit="D")
    frame = pd.DataFrame({"colour": colour, "size": size, "day": day, "same": 1})
    target = np.where(size > 1, "large", np.where(size < -1, "small", "medium"))
    return frame, target


def days(frame):
    return frame.apply(lambda column: (column - pd.Timestamp("2024-01-01")).dt.days)


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_pipeline_over_a_frame_of_all_types(output):
    frame, target = messy(200, np.random.default_rng(0))
    model = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["colour"]),
            (make_pipeline(SimpleImputer(), StandardScaler()), ["size", "same"]),
            (FunctionTransformer(days, feature_names_out="one-to-one"), ["day"]),
        ),
        DCSVC(),
    ).set_output(transform=output)
    model.fit(frame[:120], target[:120])
    rest = frame[120:]
    data = gather(model, rest, target[120:])
    assert data["features"]["names"] == ["colour", "size", "day", "same"]
    assert data["features"]["places"] is None
    colour, size, day, same = data["features"]["values"][1]
    assert colour is None  # row 121 = 11 · 11
    assert size == pytest.approx(frame["size"][121], rel=1e-3)
    assert day == str(frame["day"][121].date())
    assert same == 1
    assert data["features"]["values"][6][1] is None  # row 126 = 7 · 18
    assert data["model"]["before"] == ["ColumnTransformer"]
    assert data["summary"]["ours"]["accuracy"] == model.score(rest, target[120:])
    np.testing.assert_array_equal(model.classes_[data["rows"]["predicted"]], model.predict(rest))


def test_polars_and_sparse_rows(digits):
    X, y, X_test, y_test = digits
    names = [f"pixel {p}" for p in range(64)]
    model = DCSVC().fit(pl.DataFrame(X, schema=names), y)
    data = gather(model, pl.DataFrame(X_test, schema=names), pl.Series(y_test), max_rows=30)
    place = data["rows"]["place"]
    assert data["features"]["names"] == names
    np.testing.assert_allclose(data["features"]["values"], X_test[place], atol=1e-3)
    model = DCSVC().fit(sparse.csr_matrix(X), y)
    data = gather(model, sparse.coo_matrix(X_test), y_test, max_rows=30)
    np.testing.assert_allclose(data["features"]["values"], X_test[place], atol=1e-3)


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


def test_kernel_matrix_has_no_features(digits):
    X, y, X_test, y_test = digits
    model = DCSVC(kernel="precomputed").fit(X @ X.T, y)
    data = gather(model, X_test @ X.T, y_test)
    assert data["features"] is None
    assert data["summary"]["ours"]["accuracy"] > 0.8
