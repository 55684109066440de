"""The classifier in what a user passes, its rows and its machines."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from dcsvm import DAGSVC, DCSVC
from dcsvm.inspection.fitted import class_index, find_classifier, json_label, one_row


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_a_classifier_is_found_in_pipelines_and_searches(iris):
    X, y = iris
    inner = make_pipeline(StandardScaler(), DCSVC())
    search = GridSearchCV(inner, {"dcsvc__C": [1, 10]}, cv=2)
    nested = make_pipeline(MinMaxScaler(), search).fit(X, y)
    found = find_classifier(nested)
    assert found.classifier is nested[-1].best_estimator_[-1]
    expected = nested[-1].best_estimator_[0].transform(nested[0].transform(X))
    np.testing.assert_array_equal(found.transformed(X), expected)
    np.testing.assert_array_equal(found.classifier.predict(found.transformed(X)), nested.predict(X))
    alone = DCSVC().fit(X, y)
    assert find_classifier(make_pipeline(alone)) == find_classifier(alone) == (alone, None)


def test_other_estimators_are_refused(iris):
    for wrong in (RidgeClassifier(), DCSVC, make_pipeline(RidgeClassifier()).fit(*iris)):
        with pytest.raises(TypeError, match="This needs a fitted DCSVC"):
            find_classifier(wrong)


def test_usage_counts_the_machines_on_the_paths(digits):
    X, y = digits
    for clf in (DCSVC(C=10), DCSVC.paper(C=10)):
        fitted = find_classifier(clf.fit(X[:500], y[:500]))
        rows = fitted.counted_rows(X[500:700])
        usage = fitted.machine_usage(rows)
        decisions = clf.decision_cost(X[500:700]).decisions
        assert usage.sum() == decisions.sum()
        each = [fitted.machine_usage(fitted.counted_rows(X[[r]])) for r in range(500, 530)]
        assert [e.sum() for e in each] == decisions[:30].tolist()
        weighted = fitted.machine_usage(rows._replace(weight=np.r_[2.0, np.zeros(199)]))
        np.testing.assert_array_equal(weighted, 2 * each[0])
        assert fitted.machine_index(None, rows) == usage.argmax()


def test_counted_rows_are_those_passed_or_kept(digits):
    X, y = digits
    fitted = find_classifier(DCSVC().fit(X[:300], y[:300]))
    rows = fitted.counted_rows(X[:5])
    assert rows.weight.tolist() == [1] * 5
    assert rows.codes is rows.n_training_rows is None
    kept = fitted.counted_rows(None)
    assert kept.n_training_rows == kept.weight.sum() == 300
    assert np.bincount(kept.codes).tolist() == np.bincount(y[:300]).tolist()
    with pytest.raises(ValueError, match="DAGSVC keeps no training rows"):
        find_classifier(DAGSVC().fit(X[:99], y[:99])).counted_rows(None)


def test_codes_are_indices_of_labels(iris):
    X, y = iris
    names = np.array(["c", "a", "b"])[y]
    fitted = find_classifier(DCSVC().fit(X, names))
    assert fitted.codes(["b", "c", "a", "b"]).tolist() == [1, 2, 0, 1]
    assert fitted.names(["one", "two\nlines", 3]) == ["one", "two lines", "3"]
    assert fitted.machine_index(("c", "a"), fitted.counted_rows(X)) == 1
    with pytest.raises(ValueError, match="There is no class 'd'; the classes are 'a', 'b', 'c'"):
        fitted.codes(["a", "d"])


def test_one_row_of_any_container():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"u": [1, 2], "v": [0.5, 1.5]})
    for x in ([2, 1.5], np.array([[2, 1.5]]), sparse.csr_matrix([[2, 1.5]]), frame.iloc[1]):
        assert one_row(x).shape == (1, 2)
    assert one_row(frame.iloc[[1]]).equals(frame.iloc[[1]])
    with pytest.raises(ValueError, match="2 were passed"):
        one_row(frame)


def test_labels_as_json():
    assert json_label(np.int8(3)) == 3
    assert type(json_label(np.bool_(True))) is bool
    assert json_label("x") == "x"
    assert json_label(np.datetime64("2024-02-29")) == "2024-02-29"
    assert class_index([1, 5, 7], 5) == 1
