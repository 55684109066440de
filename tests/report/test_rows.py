"""The rows of a report: which are drawn, their classes, and which can be followed."""

import numpy as np
import pandas as pd
import pytest
from tests.report.content import gather

from dcsvm import DCSVC
from dcsvm.report.rows import choose_rows


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
    pairs = set(zip(truth[chosen], predicted[chosen], strict=True))
    assert {(c, (c + 1) % 40) for c in range(40)} <= pairs


def test_of_many_rows_some_are_drawn(digits):
    X, y, X_test, y_test = digits
    model = DCSVC().fit(X, y)
    data = gather(model, X_test, y_test, max_rows=50)
    again = gather(model, X_test, y_test, max_rows=50)
    other = gather(model, X_test, y_test, max_rows=50, random_state=1)
    place = data["paths"]["rows"]["place"]
    assert len(place) == data["model"]["n_rows"] == 50
    assert data["model"]["n_rows_passed"] == 200
    assert place == again["paths"]["rows"]["place"] != other["paths"]["rows"]["place"]
    assert data["summary"]["ours"]["accuracy"] == model.score(X_test[place], y_test[place])
    np.testing.assert_array_equal(
        model.classes_[data["paths"]["rows"]["predicted"]], model.predict(X_test[place])
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
    assert data["paths"]["rows"]["truth"][:5] == [-1, -1, -1, 10, 10]
    assert data["classes"] == [*"0123456789", "eleven"]
    assert data["model"]["n_labelled"] == 197
    assert data["model"]["n_unseen"] == 2
    labels[5:40] = [f"new {t}" for t in range(35)]
    assert gather(model, X_test, labels)["classes"][10:] == ["(not in training)"]
