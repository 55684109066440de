"""The content of a report about models of all kinds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from tests.report.content import gather

from dcsvm import DCSVC, DivideAndConquerClassifier


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
    assert data["paths"]["features"]["names"] == ["colour", "size", "day", "same"]
    assert data["paths"]["features"]["places"] is None
    colour, size, day, same = data["paths"]["features"]["values"][1]
    assert colour is None  # row 121 = 11 · 11
    assert size == pytest.approx(frame["size"][121], rel=1e-3)
    assert day == str(frame["day"][121].date())
    assert same == 1
    assert data["paths"]["features"]["values"][6][1] is None  # row 126 = 7 · 18
    assert data["model"]["before"] == ["ColumnTransformer"]
    assert data["summary"]["ours"]["accuracy"] == model.score(rest, target[120:])
    np.testing.assert_array_equal(
        model.classes_[data["paths"]["rows"]["predicted"]], model.predict(rest)
    )


def test_kernel_matrix_has_no_features(digits):
    X, y, X_test, y_test = digits
    model = DCSVC(kernel="precomputed").fit(X @ X.T, y)
    data = gather(model, X_test @ X.T, y_test)
    assert data["paths"]["features"] is None
    assert data["summary"]["ours"]["accuracy"] > 0.8


def test_a_model_whose_machines_all_vote_says_so(digits):
    X, y, X_test, y_test = digits
    X, X_test = X[:, 18:24], X_test[:, 18:24]
    model = DCSVC().fit(X[y < 3], y[y < 3])
    data = gather(model, X_test[y_test < 3], y_test[y_test < 3])
    assert data["model"]["votes"]
    assert data["asking"]["n_voted"] == (y_test < 3).sum()
    assert data["summary"]["ours"]["decisions"] == 3
    assert not gather(DCSVC.paper().fit(X, y), X_test, y_test)["model"]["votes"]


def test_a_model_is_described_by_its_attributes(case):
    model, X, _, data = case
    about = data["model"]
    assert about["name"] == type(model).__name__
    assert about["theta"] == getattr(model, "theta_", model.theta)
    assert about["n_machines"] == 45
    assert (about["n_features"], about["n_rows"]) == X.shape[::-1]
    values = {name: value for name, value, _ in about["parameters"]}
    assert values == {name: repr(value) for name, value in model.get_params(deep=False).items()}
    changed = {name for name, _, is_default in about["parameters"] if not is_default}
    if isinstance(model, DivideAndConquerClassifier):
        assert about["n_support"] is None
        assert changed == {"estimator"}
    else:
        assert about["n_support"] == model.machines_.n_distinct_support
        assert "C" in changed
    shortlist = getattr(model, "shortlist_", None)
    assert about["shortlist"] == (None if shortlist is None else shortlist.name)
