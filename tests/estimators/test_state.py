"""An estimator's state changes as a whole: a `predict` beside a `fit` sees the old or the new."""

import sys
import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC
from dcsvm.estimators.state import Refit, snapshot

ESTIMATORS = {
    "DCSVC": DCSVC(),
    "structure": DCSVC(shortlist=None),
    "vote": OneVsOneSVC(),
    "DAGSVM": DAGSVC(),
    "any": DivideAndConquerClassifier(LogisticRegression()),
}


class Plain:
    def __init__(self, **attributes):
        vars(self).update(attributes)


def test_a_copy_is_not_changed_by_what_is_set_later():
    one = Plain(a=1)
    other = snapshot(one)
    one.a = 2
    assert other.a == 1
    assert type(other) is Plain


def test_everything_new_is_taken_over_at_once():
    estimator = Plain(kept=1, changed=2, gone=3)
    before = vars(estimator)
    with Refit(estimator) as refit:
        refit.fitted.changed, refit.fitted.new = 20, 40
        del refit.fitted.gone
        estimator.meanwhile = 50
        assert vars(estimator) == {"kept": 1, "changed": 2, "gone": 3, "meanwhile": 50}
        refit.take_over()
    assert vars(estimator) == {"kept": 1, "changed": 20, "new": 40, "meanwhile": 50}
    assert vars(estimator) is not before  # who looked at the old state still has all of it


@pytest.mark.parametrize("stage", ["before", "after"])
def test_what_stops_the_block_leads_back(stage):
    estimator = Plain(a=1)

    def stopped():
        with Refit(estimator) as refit:
            refit.fitted.a = 2
            if stage == "after":
                refit.take_over()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert vars(estimator) == {"a": 1}


def problems():
    """Two that differ in everything: classes, their number and kind, features and their names."""
    X, y = make_blobs(120, centers=3, n_features=2, random_state=0)
    yield X, y
    X, y = make_blobs(150, centers=5, n_features=4, random_state=1)
    yield pd.DataFrame(X, columns=list("abcd")), np.array(list("vwxyz"))[y]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_predict_beside_fit_sees_one_state(name):
    """Fit first one problem and then the other, while threads predict both."""
    clf, both = ESTIMATORS[name], list(problems())
    expected = []
    for X, y in both:
        clf.fit(X, y)
        expected.append((clf.predict(X), clf.decision_function(X), clf.score(X, y)))
    done, wrong = threading.Event(), []

    def predict(which):
        X, y = both[which]
        while not done.is_set():
            try:
                seen = clf.predict(X), clf.decision_function(X), clf.score(X, y)
            except Exception as error:
                # The state of the other problem has other features and labels, and says only that.
                if not any(text in str(error) for text in ("feature", "labels like")):
                    wrong.append(repr(error))
                continue
            wrong.extend(
                "mixed"
                for got, right in zip(seen, expected[which], strict=True)
                if not np.array_equal(got, right)
            )

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=predict, args=(which,)) for which in (0, 1)]
    try:
        for thread in threads:
            thread.start()
        for _ in range(6):
            for X, y in both:
                clf.fit(X, y)
    finally:
        done.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)
    assert not wrong, wrong[:3]
