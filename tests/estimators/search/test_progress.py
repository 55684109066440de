"""Reports of a search: callbacks, listeners, lines."""

import pytest
from sklearn.datasets import load_iris

from dcsvm import DCSVCCV
from dcsvm.estimators.search.progress import SearchState, listening_to_search

X, Y = load_iris(return_X_y=True)


def searched(**parameters):
    return DCSVCCV(Cs=[1, 10], gammas=[0.1, 1.0], cv=3, **parameters).fit(X, Y)


def test_listeners_hear_of_every_step():
    heard = []
    with listening_to_search(heard.append):
        fitted = searched()
        within = len(heard)
    searched()
    assert len(heard) == within, "outside the block nobody listens"
    assert heard[-1].n_done == heard[-1].n_all == 12
    assert heard[-1].best_score == fitted.best_score_
    assert heard[-1].best_parameters == fitted.best_params_
    done = [state.n_done for state in heard]
    assert done == sorted(done)


def test_the_best_in_words():
    state = SearchState(1, 2, 0.98765, {"C": 10.0, "gamma": "scale"})
    assert state.best == "best so far 0.9877 with C=10, gamma=scale"
    assert SearchState(0, 2, None, {}).best == ""


def test_verbose_prints_the_best_so_far(capsys):
    fitted = searched(verbose=True)
    printed = capsys.readouterr().out
    assert printed.startswith("[DCSVCCV] 12 of 12 scores in 0 s, best so far 0.9")
    assert f"C={fitted.C_:g}, gamma={fitted.gamma_:g}" in printed
    searched()
    assert capsys.readouterr().out == ""


def test_callbacks_of_scikit_learn():
    pytest.importorskip("sklearn.callback")
    names = []

    class Recorder:
        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context):
            names.append(context.task_name)

    search = DCSVCCV(Cs=[1, 10], gammas=[0.1, 0.2], cv=2, racing=False)
    search.set_callbacks(Recorder()).fit(X, Y)
    assert names[:2] == ["gamma=0.1", "gamma=0.2"]
    assert len(names) == 3
