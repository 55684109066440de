"""Fitting and fitting further, pair by pair."""

import copy

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB

from dcsvm import DivideAndConquerClassifier
from dcsvm.machines.of_estimators import EstimatorMachines
from dcsvm.routing.left_out import left_out_tail, values_to_keep
from dcsvm.table.building import build_table

X, Y = load_digits(return_X_y=True)
X = X / 16
ASKED, TRUTH = X[1000:], Y[1000:]


def in_parts(clf, **params):
    for t, begin in enumerate(range(0, 1000, 250)):
        part = slice(begin, begin + 250)
        more = {"classes": np.arange(10)} if t == 0 else {}
        clf.partial_fit(X[part], Y[part], **more, **params)
    return clf


@pytest.mark.parametrize(
    "estimator", [GaussianNB(var_smoothing=1e-2), SGDClassifier(random_state=0), Perceptron()]
)
def test_partial_fit_goes_as_that_of_the_vote(estimator):
    clf = in_parts(DivideAndConquerClassifier(estimator, random_state=0))
    vote = in_parts(OneVsOneClassifier(estimator))
    for ours, theirs in zip(clf.estimators_, vote.estimators_, strict=True):
        # Theirs is positive for the second class of a pair, ours for the first.
        assert (ours.predict(ASKED) != theirs.predict(ASKED)).mean() > 0.97
    assert clf.score(ASKED, TRUTH) >= vote.score(ASKED, TRUTH) - 0.005
    assert clf.decision_cost(ASKED).decisions.mean() < 15


def test_the_table_stands_on_rows_kept_of_all_parts_as_the_last_classifiers_see_them():
    clf = in_parts(DivideAndConquerClassifier(GaussianNB(), table_rows=20, random_state=0))
    kept = clf._kept
    assert np.bincount(kept.codes).tolist() == [20] * 10
    assert (kept.n_seen == np.bincount(Y[:1000])).all()
    place = [np.flatnonzero((X[:1000] == x).all(axis=1))[0] for x in kept.X]
    assert (Y[place] == kept.codes).all()
    part = np.bincount(np.array(place) // 250, minlength=4)
    assert part.min() > 25, "50 of each part are expected"
    machines = EstimatorMachines(10, clf.estimators_, None)
    rows = kept.training_rows()
    some = values_to_keep(rows)
    table, _ = build_table(machines, rows, clf.classes_, 1, kept=some)
    assert (table.counts == clf.table_.counts).all()
    assert (table.values.low == clf.table_.values.low).all()
    tail = left_out_tail(rows, some, table.values)
    assert tail.beyond(0.01) == clf.table_.values.tail.beyond(0.01)


def test_prediction_waits_for_a_row_of_every_class():
    clf = DivideAndConquerClassifier(GaussianNB())
    few = Y < 5
    clf.partial_fit(X[few][:200], Y[few][:200], classes=np.arange(10))
    with pytest.raises(NotFittedError):
        clf.predict(ASKED)
    clf.partial_fit(X[:500], Y[:500])
    assert clf.score(ASKED, TRUTH) > 0.7


def test_what_others_have_taken_does_not_change():
    clf = DivideAndConquerClassifier(GaussianNB()).fit(X[:300], Y[:300])
    other, predictor = clf.rethreshold(theta=0.01), clf.predictor_
    before = other.predict(ASKED), predictor.predict(ASKED)
    state = copy.copy(vars(clf))
    with pytest.raises(ValueError, match="label 11"):
        clf.partial_fit(X[:3], np.array([1, 2, 11]))
    with pytest.raises(ValueError, match="features"):
        clf.partial_fit(X[:3, :5], Y[:3])
    with pytest.raises(ValueError, match="not those of the first call"):
        clf.partial_fit(X[:3], Y[:3], classes=np.arange(9))
    assert vars(clf) == state
    old = clf.predict(ASKED)
    clf.partial_fit(X[300:1000], Y[300:1000])
    assert (clf.predict(ASKED) != old).any()
    assert (other.predict(ASKED) == before[0]).all()
    assert (predictor.predict(ASKED) == before[1]).all()


def test_partial_fit_says_what_it_needs():
    assert not hasattr(DivideAndConquerClassifier(LogisticRegression()), "partial_fit")
    with pytest.raises(ValueError, match="first call"):
        DivideAndConquerClassifier(GaussianNB()).partial_fit(X[:300], Y[:300])
    weight = np.random.default_rng(0).integers(0, 3, 1000)
    clf = DivideAndConquerClassifier(GaussianNB())
    weighted = clf.partial_fit(X[:1000], Y[:1000], np.arange(10), weight)
    repeated = np.repeat(np.arange(1000), weight)
    same = GaussianNB().fit(X[repeated][Y[repeated] < 2], Y[repeated][Y[repeated] < 2])
    np.testing.assert_allclose(weighted.estimators_[0].theta_[::-1], same.theta_)
    with config_context(enable_metadata_routing=True):
        asking = GaussianNB().set_partial_fit_request(sample_weight=True)
        routed = DivideAndConquerClassifier(asking)
        routed.partial_fit(X[:1000], Y[:1000], classes=np.arange(10), sample_weight=weight)
    np.testing.assert_array_equal(routed.estimators_[0].theta_, weighted.estimators_[0].theta_)
