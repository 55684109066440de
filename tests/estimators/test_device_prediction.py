import numpy as np
import pytest
from tests.cuda.conftest import device, emulator, fake_gpu  # noqa: F401
from tests.cuda.problems import classes_in_plane

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.estimators.device_prediction import device_of_prediction

pytestmark = pytest.mark.usefixtures("fake_gpu")


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("make", [DCSVC, DCSVC.paper, OneVsOneSVC])
def test_all_methods_answer_as_on_the_cpu(make, shape, k):
    X, y = classes_in_plane(k=k)
    X_test = X * 0.8
    here = make(decision_function_shape=shape).fit(X, y)
    there = here.to("cuda")
    assert np.array_equal(there.predict(X_test), here.predict(X_test))
    decision, expected = there.decision_function(X_test), here.decision_function(X_test)
    assert decision.shape == expected.shape
    assert np.allclose(decision, expected, atol=1e-4)
    if make is not OneVsOneSVC:
        assert np.array_equal(there.apply(X_test), here.apply(X_test))
        for a, b in zip(
            there.predict_with_decisions(X_test), here.predict_with_decisions(X_test), strict=True
        ):
            assert np.array_equal(a, b)


def test_ties_are_broken_as_on_the_cpu():
    X, y = classes_in_plane()
    here = OneVsOneSVC(break_ties=True).fit(X, y)
    assert np.array_equal(here.to("cuda").predict(X), here.predict(X))


def test_only_those_that_are_asked_for_the_gpu_predict_there(device):  # noqa: F811
    X, y = classes_in_plane()
    clf = DCSVC(theta=0.002).fit(X, y)
    assert device_of_prediction(clf, X) is None
    assert device_of_prediction(clf.to("cuda"), X) is device
    assert device_of_prediction(clf.to("auto"), X) is None


def test_rows_are_checked():
    X, y = classes_in_plane()
    clf = DCSVC(device="cuda").fit(X, y)
    with pytest.raises(ValueError, match="features"):
        clf.predict(X[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        clf.predict(np.full((2, 3), np.nan))


class OnGpu(np.ndarray):
    """An array that says it is in the memory of a GPU."""

    __cuda_array_interface__ = "there"


def test_rows_on_the_gpu_are_answered_there_by_the_vote_too(device):  # noqa: F811
    X, y = classes_in_plane()
    clf = DCSVC(device="cuda").fit(X, y)
    assert device_of_prediction(clf, X) is None  # few rows on the host stay there
    there = X.view(OnGpu)
    assert device_of_prediction(clf, there) is device
    assert np.array_equal(clf.predict(there), clf.predict(X))
    assert np.allclose(clf.decision_function(there), clf.decision_function(X), atol=1e-4)
    labels, counts = clf.predict_with_decisions(there)
    assert np.array_equal(labels, clf.predict(X))
    assert (counts == clf.machines_.n_machines).all()
