"""What is known of an exported model."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.export.problems import expected, fitted, rows

from dcsvm import DCSVC
from dcsvm.export import changed_labels, export, to_c
from dcsvm.export.exporting import entry_tables
from dcsvm.export.preprocessing import EntryMap


def test_a_search_over_a_pipeline_is_exported_as_its_best():
    X, y, _ = rows()
    search = GridSearchCV(make_pipeline(StandardScaler(), DCSVC()), {"dcsvc__C": [0.1, 1]}, cv=2)
    search.fit(X.astype(np.float64), y)
    assert to_c(search).source == to_c(search.best_estimator_).source


def test_precision_is_that_of_python_unless_it_is_given():
    assert export(fitted()).real == "float"
    X, y, _ = rows()
    X = X.astype(np.float64) + 1e5
    clf = DCSVC(kernel="poly", gamma=1e-3, coef0=1.0, degree=5).fit(X * 1e-4, y)
    assert export(clf).real == "double"
    with pytest.warns(UserWarning, match="precision='double'"):
        assert export(clf, precision="float").real == "float"
    with warnings.catch_warnings(action="error"):
        export(fitted(), precision="double")


def test_rounding_is_measured():
    X, clf = rows()[2], fitted()
    y = clf.classes_[expected(clf, X)]
    assert changed_labels(export(clf), X)["changed"] == 0
    found = changed_labels(export(clf, support="int8"), X.astype(np.float64), y)
    assert found["rows"] == len(X)
    assert found["changed"] == pytest.approx(1 - found["as_stored"])
    assert found["accuracy"] == 1
    small, large = export(clf, support="int8"), export(clf, support="float")
    assert small.table_bytes < 0.7 * large.table_bytes


def test_only_tables_that_are_needed():
    plain = EntryMap.of(np.arange(3))
    assert set(entry_tables(plain)) == {"centre", "scale"}
    filled = plain.filled(np.array([1.0, np.nan, 2.0])).within(-1.0, np.inf)
    assert set(entry_tables(filled)) == {"centre", "scale", "fill", "low"}
    assert "from" in entry_tables(plain.take([2, 0]))
