"""From columns to the numbers that a classifier is fitted to."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.cli.cli_tools import fine

from dcsvm import DCSVC
from dcsvm.cli.columns import DATE, NUMBER, Column
from dcsvm.cli.preprocessing import sparse_pipeline, table_pipeline


def test_numbers_are_those_of_a_pipeline_by_hand(tmp_path):
    X, y = load_digits(return_X_y=True)
    frame = pd.DataFrame(X[:, X.std(axis=0) > 0]).add_prefix("p").assign(digit=y)
    frame[:600].to_csv(tmp_path / "digits.csv", index=False)
    frame[600:900].to_parquet(tmp_path / "new.parquet")
    fine("fit", tmp_path / "digits.csv", "-t", "digit", "-o", tmp_path / "m", "--test-size", 0)
    outcome = fine(
        *("predict", tmp_path / "m", tmp_path / "new.parquet", "--json"),
        *("-o", tmp_path / "out.parquet"),
    )
    values = frame.drop(columns="digit").loc[:, frame[:600].nunique() > 1].to_numpy()
    by_hand = make_pipeline(StandardScaler(), DCSVC()).fit(values[:600], y[:600])
    expected = by_hand.predict(values[600:900])
    out = pd.read_parquet(tmp_path / "out.parquet")
    assert out["predicted_digit"].dtype == np.int64
    assert (out["predicted_digit"] == expected).mean() > 0.99  # texts and floats round otherwise
    assert outcome.document["accuracy"] == (out["predicted_digit"] == y[600:900]).mean()
    cost = by_hand[-1].decision_cost(by_hand[:-1].transform(values[600:900]))
    assert out["decisions"].mean() == pytest.approx(cost.decisions.mean(), rel=0.01)


def test_gaps_and_dates():
    frame = pd.DataFrame(
        {
            "n": [1.0, np.nan, 3.0, 8.0],
            "day": pd.to_datetime(["2020-01-01", "2021-05-03", "2022-06-07", "2020-01-01"]),
        }
    )
    columns = [Column("day", DATE), Column("n", NUMBER)]
    numbers = table_pipeline(columns, DCSVC(), 0, True)[:-1].fit_transform(frame)
    filled = np.array([1.0, 3.0, 3.0, 8.0])  # the median of the others
    assert numbers[:, 0] == pytest.approx((filled - filled.mean()) / filled.std())
    assert numbers[:, 1].tolist() == [0, 1, 0, 0]
    dates = numbers[:, 2:]
    varying = dates[:, dates.std(axis=0) > 0]
    assert varying.std(axis=0) == pytest.approx(0.5)
    unscaled = table_pipeline(columns, DCSVC(), 0, False)[:-1].fit_transform(frame)
    assert unscaled[:, 0].tolist() == filled.tolist()


def test_zeros_stay_zeros():
    X = sparse.random(20, 10, 0.2, format="csr", random_state=0)
    scaled = sparse_pipeline(DCSVC(), True)[:-1].fit_transform(X)
    assert (scaled != 0).nnz == (X != 0).nnz
    assert len(sparse_pipeline(DCSVC(), False)) == 1
