"""Bad input gets a clear error, and nothing is lost."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import InvalidParameterError
from tests import patience

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC
from dcsvm.estimators.checks import check_memory

X, Y = load_iris(return_X_y=True)


ESTIMATORS = [DCSVC(), OneVsOneSVC(), DAGSVC(), DivideAndConquerClassifier(LogisticRegression())]


SVM_ESTIMATORS = ESTIMATORS[:3]


def test_rethreshold_checks_its_parameters_too():
    clf = DCSVC().fit(X, Y)
    with pytest.raises(InvalidParameterError, match=r"\[0.0, 0.5\)"):
        clf.rethreshold(theta=2)
    with pytest.raises(InvalidParameterError, match="criterion"):
        clf.rethreshold(criterion="best")


def test_rethreshold_and_sharing_need_a_fitted_classifier():
    with pytest.raises(NotFittedError):
        DCSVC().rethreshold(theta=0.1)
    with pytest.raises(NotFittedError):
        OneVsOneSVC.from_machines(DCSVC())


@pytest.mark.parametrize("clf", ESTIMATORS)
def test_columns_that_stand_twice_are_named(clf):
    frame = pd.DataFrame(X, columns=["width", "width", "length", "depth"])
    with pytest.raises(ValueError, match="more than one column named 'width'"):
        clf.fit(frame, Y)


@pytest.mark.parametrize("clf", SVM_ESTIMATORS)
@pytest.mark.parametrize("weight", [0.0, -1.0])
def test_a_class_without_weight_is_named(clf, weight):
    with pytest.raises(ValueError, match="All rows of class 1 have zero weight"):
        clf.fit(X, Y, sample_weight=np.where(Y == 1, weight, 1.0))


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_whatever_a_kernel_function_raises_stops_the_fit(error, n_jobs):
    def kernel(A, B):
        raise error(1)

    with pytest.raises(error):
        DCSVC(kernel=kernel, n_jobs=n_jobs).fit(X, Y)


def test_classes_that_would_not_fit_in_memory():
    y = np.arange(100_000)
    with pytest.raises(MemoryError, match=r"4,999,950,000 machines.*at least 4 PB"):
        DCSVC().fit(y[:, np.newaxis].astype(float), y)


def test_memory_needed_is_stated_in_words():
    check_memory(1000, 0, available=8 * 10**9)
    with pytest.raises(
        MemoryError, match=r"1,000 classes need 499,500 machines.* 4\.\d+ GB .* 4 GB"
    ):
        check_memory(1000, 0, available=4 * 10**9)


@pytest.mark.parametrize("clf", ESTIMATORS)
def test_a_failed_fit_leaves_the_fitted_state_intact(clf):
    clf.fit(X, Y)
    before = clf.predict(X), vars(clf).copy()
    with pytest.raises(ValueError, match="only one class"):
        clf.fit(X[:, :2], np.zeros(150))
    assert vars(clf) == before[1]
    assert (clf.predict(X) == before[0]).all()
    assert clf.n_features_in_ == 4


INTERRUPTED = """
    import os, signal, threading, time
    import numpy as np
    import dcsvm.estimators.dcsvc, dcsvm.machines.compiled, dcsvm.table.building
    import dcsvm.training.compiled, dcsvm.training.libsvm
    from dcsvm import DCSVC

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), np.arange(60) % 3
    clf = DCSVC(n_jobs=N_JOBS).fit(X, y)
    before = clf.decision_function(X)
    sent = []
    def interrupt():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    def soon():
        # Growing is over soon.
        threading.Timer(0.02 if "STAGE" == "growing" else 0.3, interrupt).start()
    dcsvm.machines.precision.ALLOWED_ERROR = -1.0  # the slow way
    dcsvm.table.building.SIGNS_BUDGET = 0

    def stop_in(module, name):
        stage = getattr(module, name)
        def begin(*args, **kwargs):
            soon()
            return stage(*args, **kwargs)
        setattr(module, name, begin)

    # Noise, so that all rows are support vectors.
    hard = rng.normal(size=(6000, 400))
    if "STAGE" == "double":
        clf.set_params(C=1e3, gamma=1e-3, tol=1e-6)
        stop_in(dcsvm.training.compiled, "run_long")
    elif "STAGE" == "solver":
        clf.set_params(C=1e3, gamma=1e-3)  # one pair would keep the solver busy for minutes
        stop_in(dcsvm.training.compiled, "run_long")
    elif "STAGE" == "libsvm":
        clf.set_params(C=1e3, gamma=1e-3, tol=1e-6)
        dcsvm.training.compiled.POOL_BUDGET = 0
        stop_in(dcsvm.training.libsvm, "run_long")
    elif "STAGE" == "table":
        clf.set_params(gamma=1.0)
        stop_in(dcsvm.estimators.stages.HERE, "table")
    else:
        clf.set_params(gamma=1.0)
        stop_in(dcsvm.estimators.dcsvc, "grow_along")
    try:
        clf.fit(hard, np.arange(6000) % 2)
        print("finished")
    except KeyboardInterrupt:
        late = time.process_time() - sent[0]  # on a busy machine, less than by the clock
        same = (clf.decision_function(X) == before).all()
        print("interrupted", late < 1.0, same, clf.n_features_in_)
"""


@pytest.mark.parametrize(
    ("stage", "n_jobs"),
    [
        ("solver", "1"),
        ("double", "1"),
        ("libsvm", "1"),
        ("table", "2"),
        ("growing", "1"),
        ("growing", "2"),
    ],
)
def test_ctrl_c_stops_a_fit_within_a_second_and_loses_nothing(stage, n_jobs):
    code = textwrap.dedent(INTERRUPTED).replace("STAGE", stage).replace("N_JOBS", n_jobs)
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=patience.SECONDS,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert run.stdout.split() == ["interrupted", "True", "True", "5"], run.stderr
    if stage != "libsvm":  # libsvm cannot be told to stop, and may be cut off at the exit
        assert run.returncode == 0, run.stderr
