"""Progress, and the table from a part of the rows."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dcsvm.estimators.progress
from dcsvm import DAGSVC, DCSVC, OneVsOneSVC
from dcsvm.estimators.progress import listening

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 brought callbacks")

X, Y = load_iris(return_X_y=True)


class Listener:
    """Writes down what it is told."""

    def __init__(self):
        self.heard = []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.heard.append(f"end {context.task_name}")


@pytest.mark.parametrize("make", [DCSVC, OneVsOneSVC, DAGSVC])
@pytest.mark.parametrize("parameters", [{}, {"tol": 1e-6}, {"kernel": lambda A, B: A @ B.T}])
def test_callbacks_hear_of_every_machine(make, parameters):
    listener = Listener()
    names = np.array(["a", "b", "c"])[Y]
    clf = make(**parameters).set_callbacks(listener).fit(X, names)
    heard = listener.heard
    assert heard[:2] == ["setup", "begin fit"]
    assert heard[-2:] == ["end fit", "teardown"]
    assert sorted(h for h in heard if " vs " in h and h.startswith("end")) == [
        "end a vs b",
        "end a vs c",
        "end b vs c",
    ]
    assert (clf.predict(X) == make(**parameters).fit(X, names).predict(X)).all()


def test_callbacks_are_taken_leave_of_when_a_fit_fails():
    listener = Listener()
    clf = DCSVC(kernel=lambda A, B: A @ B.T[:, :2]).set_callbacks(listener)
    with pytest.raises(ValueError, match="must return an array of shape"):
        clf.fit(X, Y)
    assert listener.heard[-1] == "teardown"
    assert set(vars(clf)) == {*clf.get_params(), "_skl_callbacks"}


def test_verbose_prints_lines(capsys, monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr(dcsvm.estimators.progress, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr("dcsvm.training.compiled.WORK_OF_A_CALL", 1)
    digits, labels = load_digits(return_X_y=True)
    DCSVC(verbose=True).fit(digits[:300], labels[:300])
    lines = capsys.readouterr().out.strip().splitlines()
    assert len(lines) > 3
    form = r"\[DCSVC\] \d+ of 45 machines trained in \d+ s(, \d+ s left)?"
    assert all(re.fullmatch(form, line) for line in lines)
    assert "45 of 45" in lines[-1]
    DCSVC().fit(X, Y)
    assert capsys.readouterr().out == ""


def test_a_listener_hears_of_every_fit_inside():
    heard = []
    with listening(lambda *counts: heard.append(counts)):
        cross_val_score(make_pipeline(StandardScaler(), DCSVC()), X, Y, cv=2)
    assert heard.count((0, 3)) == heard.count((3, 3)) == 2
    assert heard == sorted(heard[: len(heard) // 2]) + sorted(heard[len(heard) // 2 :])
    n_heard = len(heard)
    DCSVC().fit(X, Y)
    assert len(heard) == n_heard


def test_a_table_from_a_part_of_the_rows():
    digits, labels = load_digits(return_X_y=True)
    whole = DCSVC(random_state=0).fit(digits, labels)
    part = DCSVC(random_state=0, table_rows=20).fit(digits, labels)
    assert part.table_.counts.sum(axis=2).tolist() == [[20.0] * 10] * 45
    assert (part.machines_.coef == whole.machines_.coef).all()
    again = DCSVC(random_state=0, table_rows=20).fit(digits, labels)
    other = DCSVC(random_state=1, table_rows=20).fit(digits, labels)
    assert (part.table_.counts == again.table_.counts).all()
    assert (part.table_.counts != other.table_.counts).any()
    generous = DCSVC(random_state=0, table_rows=10_000).fit(digits, labels)
    assert (generous.table_.counts == whole.table_.counts).all()
    gram = digits @ digits.T
    drawn = DCSVC(kernel="precomputed", table_rows=20, random_state=0).fit(gram, labels)
    assert drawn.table_.counts.sum(axis=2).max() == 20


def test_a_table_of_large_classes_is_built_from_a_part_of_them_that_is_enough():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), [2500, 2300, 300, 200])
    X = rng.normal(size=(len(y), 3)) + 1.5 * rng.normal(size=(4, 3))[y]
    asked = X[::3] + 0.3 * rng.normal(size=X[::3].shape)
    fitted = {n: DCSVC(table_rows=n, random_state=1).fit(X, y) for n in ("auto", None)}
    n_rows = {n: clf.table_.values.n_rows.tolist() for n, clf in fitted.items()}
    assert n_rows == {"auto": [2048, 2048, 300, 200], None: [2500, 2300, 300, 200]}
    vote = OneVsOneSVC().fit(X, y).predict(asked)
    same = {n: (clf.predict(asked) == vote).mean() for n, clf in fitted.items()}
    assert same["auto"] > 0.99
    assert same["auto"] > same[None] - 0.002
    by_sign = DCSVC(routing="sign").fit(X[y > 0], y[y > 0])
    assert by_sign.table_.counts.sum(axis=2).max() == 2300
    assert (fitted["auto"].table_.counts == DCSVC(random_state=2).fit(X, y).table_.counts).all()
