"""The shortest way from a row to its label."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier


def problem(k=7, d=5, n=420, seed=0):
    centres = np.random.default_rng(seed).normal(size=(k, d)) * 2
    X, y = make_blobs(n, centers=centres, cluster_std=1.5, random_state=seed)
    return X[::2], y[::2], X[1::2], y[1::2]


def test_single_precision_rows_need_no_other_precision(arithmetic):
    X, y, asked, _ = problem()
    X, asked = X.astype(np.float32), asked.astype(np.float32)
    clf = DCSVC.paper().fit(X, y)
    assert (clf.predict(asked) == clf.predict(asked.astype(np.float64))).all()
    assert [clf.predictor_.predict(x) for x in asked] == clf.predict(asked).tolist()


def test_a_row_predictor_is_immutable_picklable_and_free_of_checks():
    X, y = load_digits(return_X_y=True)
    names = np.array([f"digit {c}" for c in range(10)])[y]
    for clf in (DCSVC(), DAGSVC(), DCSVC(kernel=lambda A, B: A @ B.T)):
        clf.fit(X[:300], names[:300])
        one = clf.predictor_
        expected = clf.predict(X[300:330])
        for copy in (one, pickle.loads(pickle.dumps(one)) if clf.kernel == "rbf" else one):
            assert [copy.predict(x) for x in X[300:330]] == expected.tolist()
        assert (one.predict(X[300:330]) == expected).all()
        assert one.predict(X[300].tolist()) == expected[0]
        assert one.predict(X[300].astype(int)) == expected[0]
        assert one.predict(np.repeat(X[300], 2)[::2]) == expected[0]
        assert one.predict(np.full(64, np.nan)) in names
        with pytest.raises(ValueError, match=r"features|mismatch|operands|aligned"):
            one.predict(X[300, :5])
        with pytest.raises(AttributeError, match="cannot be changed"):
            one.classes = ()


def test_a_row_predictor_over_any_classifier():
    X, y = load_digits(return_X_y=True)
    clf = DivideAndConquerClassifier(DCSVC()).fit(X[:200], y[:200])
    assert clf.predictor_.predict(X[250]) == clf.predict(X[250:251])[0]


def test_a_row_predictor_grows_what_it_meets():
    X, y, asked, _ = problem(k=12, n=1200)
    clf = DCSVC.paper(theta=0.0).fit(X, y).rethreshold(theta=0.0)
    assert clf.dag_.n_nodes == 13
    one = clf.predictor_
    assert [one.predict(x) for x in asked] == clf.rethreshold().predict(asked).tolist()
    assert clf.dag_.n_nodes > 13
