"""Classifiers on a GPU, which tests/cuda/conftest.py stands for, are those of the CPU."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from tests.cuda.conftest import device, emulator, fake_gpu  # noqa: F401
from tests.cuda.problems import classes_in_plane

import dcsvm
from dcsvm import DAGSVC, DCSVC, OneVsOneSVC
from dcsvm.estimators import device_prediction, devices

pytestmark = pytest.mark.usefixtures("fake_gpu")


@pytest.mark.parametrize(
    "make",
    [
        DCSVC,
        DCSVC.paper,
        OneVsOneSVC,
        DAGSVC,
        lambda **given: DCSVC(kernel="linear", scaling="global", **given),
        lambda **given: DCSVC(theta="auto", **given),
        lambda **given: DCSVC(machines="needed", theta=0.02, **given),
        lambda **given: DCSVC(table_rows=8, random_state=0, **given),
    ],
)
def test_a_fit_gives_the_classifier_of_the_cpu(make):
    X, y = classes_in_plane(per_class=16)
    weight = np.random.default_rng(0).integers(1, 3, len(y))
    there, here = make(device="cuda").fit(X, y, weight), make().fit(X, y, weight)
    assert np.array_equal(there.to("cpu").predict(X), here.predict(X))
    assert np.array_equal(there.predict(X), here.predict(X))
    assert np.allclose(there.machines_.intercept, here.machines_.intercept, atol=5e-3)
    assert there.shape_fit_ == here.shape_fit_
    assert np.array_equal(there.support_, here.support_)


def test_labels_may_be_texts_and_rows_frames():
    pd = pytest.importorskip("pandas")
    X, y = classes_in_plane()
    frame, names = pd.DataFrame(X, columns=list("abc")), np.array(["w", "x", "y", "z"])[y]
    there = DCSVC(device="cuda").fit(frame, names)
    assert np.array_equal(there.predict(frame), DCSVC().fit(frame, names).predict(frame))
    assert there.feature_names_in_.tolist() == ["a", "b", "c"]


def test_what_is_stored_knows_no_device(tmp_path):
    X, y = classes_in_plane()
    clf = DCSVC(device="cuda").fit(X, y)
    dcsvm.save(clf, tmp_path / "model")
    for stored in (pickle.loads(pickle.dumps(clf)), dcsvm.load(tmp_path / "model")):
        assert stored.device == "cpu"
        assert np.array_equal(stored.predict(X), clf.predict(X))
    assert clone(clf).device == "cuda"
    assert pickle.loads(pickle.dumps(DCSVC(device="cuda"))).device == "cuda"


def test_a_classifier_moves_between_devices():
    X, y = classes_in_plane()
    clf = DCSVC(theta=0.002).fit(X, y)
    there = clf.to("cuda")
    assert clf.device == "cpu"
    assert there.device == "cuda"
    assert np.array_equal(there.predict(X), clf.predict(X))
    with pytest.raises(ValueError, match="device"):
        clf.to("tpu")


@pytest.mark.parametrize("given", [{"scaling": "pair"}, {"kernel": np.dot}])
def test_what_the_gpu_cannot_do_is_refused(given):
    X, y = classes_in_plane()
    with pytest.raises(ValueError, match="cannot be used with"):
        DCSVC(device="cuda", **given).fit(X, y)


def test_auto_takes_the_gpu_for_many_rows_alone(monkeypatch, device):  # noqa: F811
    X, y = classes_in_plane()
    calls = device.call.called
    calls.clear()
    clf = DCSVC(device="auto", theta=0.002).fit(X, y)
    clf.predict(X)
    assert not calls
    monkeypatch.setattr(devices, "FEWEST_ROWS", 10)
    clf = DCSVC(device="auto", theta=0.002).fit(X, y)
    assert "solve_pairs_float" in calls
    DCSVC(device="auto", scaling="pair").fit(X, y)
    calls.clear()
    monkeypatch.setattr(device_prediction, "FEWEST_ROWS", 10)
    clf.predict(X)
    assert "eliminate_float" in calls


def test_a_fit_that_fails_leaves_the_classifier_as_it_was():
    X, y = classes_in_plane()
    clf = DCSVC(device="cuda").fit(X, y)
    before = vars(clf).copy()
    with pytest.raises(MemoryError):
        clf.set_params(cache_size=1e-3).fit(X, y)
    assert {**vars(clf), "cache_size": None} == before
