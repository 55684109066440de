"""Frames and labels as people have them."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris

from dcsvm import DCSVC, DivideAndConquerClassifier, OneVsOneSVC

X, CODES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[CODES]
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(y=NAMES)
FEATURES = FRAME[["a", "b", "c", "d"]]
DATES = np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="datetime64[D]")[CODES]

LABELS = {
    "pandas string": FRAME["y"],
    "pandas Arrow string": FRAME["y"].astype("string[pyarrow]"),
    "pandas categorical": FRAME["y"].astype("category"),
    "pandas object": FRAME["y"].astype(object),
    "pandas Int64": pd.Series(CODES).astype("Int64"),
    "pandas Arrow integer": pd.Series(CODES).astype("int64[pyarrow]"),
    "pandas dates": pd.Series(DATES),
    "polars string": pl.Series(NAMES),
    "polars categorical": pl.Series(NAMES).cast(pl.Categorical),
    "polars enum": pl.Series(NAMES).cast(pl.Enum(["virginica", "setosa", "versicolor"])),
    "NumPy strings": NAMES,
    "NumPy variable-width strings": NAMES.astype(np.dtypes.StringDType()),
    "bytes": NAMES.astype("S"),
    "list": NAMES.tolist(),
    "small integers": CODES.astype(np.uint8),
    "whole floats": CODES.astype(float),
    "integer objects": CODES.astype(object),
    "dates": DATES,
    "date objects": DATES.astype(object),
    "decimals": np.array([Decimal(int(c)) for c in CODES], dtype=object),
    "tuples": pd.Series([("class", int(c)) for c in CODES]),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("make", [DCSVC, OneVsOneSVC])
def test_labels_of_any_sortable_type(kind, make):
    y = LABELS[kind]
    clf = make().fit(FEATURES, y)
    by_number = make().fit(X, CODES)
    assert clf.classes_.tolist() == sorted(set(np.asarray(y).tolist()))
    assert (clf.predict(FEATURES) == clf.classes_[by_number.predict(X)]).all()
    assert clf.score(FEATURES, y) == by_number.score(X, CODES)


def test_whole_numbers_stay_whole():
    for kind in ("pandas Int64", "pandas Arrow integer"):
        assert DCSVC().fit(X, LABELS[kind]).classes_.dtype == np.int64


@pytest.mark.parametrize(
    "frame",
    [FEATURES, FEATURES.astype("float32"), pl.DataFrame(FEATURES), FEATURES.convert_dtypes()],
    ids=["pandas", "pandas float32", "polars", "pandas nullable"],
)
def test_frames_bring_their_names(frame):
    for clf in (DCSVC(), DivideAndConquerClassifier(OneVsOneSVC())):
        clf.fit(frame, CODES)
        assert clf.feature_names_in_.tolist() == ["a", "b", "c", "d"]
        assert clf.score(frame, CODES) > 0.95
        with pytest.raises(ValueError, match="feature names"):
            clf.predict(FEATURES.rename(columns={"a": "z"}))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        (FRAME["y"].where(CODES > 0), "50 missing labels, the first in row 0"),
        (FRAME["y"].astype("string").where(CODES > 0), "50 missing labels"),
        (np.where(CODES == 1, None, NAMES), "50 missing labels, the first in row 50"),
        (np.where(CODES > 1, np.datetime64("NaT"), DATES), "50 missing labels"),
        (np.where(CODES > 0, CODES, np.nan), "NaN"),
        (np.where(CODES > 0, CODES, np.inf), "infinity"),
        (np.array([1, "a", 2.5], dtype=object)[CODES], "cannot be sorted.*float, int, str"),
        (X[:, 0], "Unknown label type: continuous"),
        (X[:, 0].astype(object), "Unknown label type: continuous"),
        (np.zeros(150), "only one class: 0.0"),
        (["x"] * 150, "only one class: 'x'"),
        (CODES[:100], "inconsistent numbers of samples"),
        (X, "1d array"),
    ],
)
@pytest.mark.parametrize("clf", [DCSVC(), DivideAndConquerClassifier(OneVsOneSVC())])
def test_labels_that_cannot_be_learnt(clf, y, message):
    with pytest.raises(ValueError, match=message):
        clf.fit(X, y)
