"""What is fitted and predicted on a GPU, beside the CPU."""

import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from tests.oracles import machine_values

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC

pytestmark = pytest.mark.usefixtures("device")

SETS = {
    "vowel": {"C": 10.0},
    "letter": {"C": 10.0, "gamma": 1 / 16},
    "usps": {"C": 10.0},
}


@pytest.mark.parametrize("make", [DCSVC, DCSVC.paper, OneVsOneSVC, DAGSVC])
@pytest.mark.parametrize("name", SETS)
def test_labels_are_those_of_the_cpu(official_split, name, make):
    data = official_split(name)
    there = make(device="cuda", **SETS[name]).fit(data.X_train, data.y_train)
    here = make(**SETS[name]).fit(data.X_train, data.y_train)
    labels, expected = there.predict(data.X_test), here.predict(data.X_test)
    assert (labels == expected).mean() >= 0.999
    assert np.array_equal(labels, there.to("cpu").predict(data.X_test))
    right, by_cpu = (labels == data.y_test).mean(), (expected == data.y_test).mean()
    assert right == pytest.approx(by_cpu, abs=5e-4)


# With a large C, the problem of the sigmoid kernel has more than one solution.
@pytest.mark.parametrize(
    ("kernel", "C"),
    [("sigmoid", 1.0), *((kernel, C) for kernel in ("rbf", "linear", "poly") for C in (1.0, 1e3))],
)
def test_objectives_are_those_of_the_cpu(official_split, kernel, C):
    data = official_split("vowel")
    given = {"C": C, "kernel": kernel, "gamma": 0.05, "max_iter": 10**6}
    there = OneVsOneSVC(device="cuda", **given).fit(data.X_train, data.y_train).machines_
    here = OneVsOneSVC(**given).fit(data.X_train, data.y_train).machines_
    for a, b in zip(objectives(there, data.X_train), objectives(here, data.X_train), strict=True):
        assert a == pytest.approx(b, rel=1e-4, abs=1e-6)


def objectives(machines, X):
    """½ Σ b f − Σ |b| of every machine, from values at its support vectors."""
    values = machine_values(machines, machines.pool)
    for m in range(machines.n_machines):
        own = slice(machines.start[m], machines.start[m + 1])
        b, of_support = machines.coef[own], values[machines.index[own], m] - machines.intercept[m]
        yield 0.5 * b @ of_support - np.abs(b).sum()


def test_arrays_of_cupy_stay_on_the_gpu(official_split):
    cupy = pytest.importorskip("cupy")
    data = official_split("letter")
    X, X_test = cupy.asarray(data.X_train), cupy.asarray(data.X_test)
    _, codes = np.unique(data.y_train, return_inverse=True)
    clf = DCSVC(device="cuda", **SETS["letter"]).fit(X, cupy.asarray(codes))
    labels = clf.predict(X_test)
    assert isinstance(labels, cupy.ndarray)
    same = DCSVC(device="cuda", **SETS["letter"]).fit(data.X_train, codes)
    assert np.array_equal(labels.get(), same.predict(data.X_test))
    assert isinstance(clf.decision_function(X_test), cupy.ndarray)


def test_tensors_of_pytorch_give_tensors(official_split):
    torch = pytest.importorskip("torch")
    data = official_split("vowel")
    X, (_, y) = (
        torch.as_tensor(data.X_train, device="cuda"),
        np.unique(data.y_train, return_inverse=True),
    )
    clf = DCSVC(device="cuda").fit(X, torch.as_tensor(y, device="cuda"))
    labels = clf.predict(X)
    assert labels.device.type == "cuda"
    assert (
        labels.cpu().numpy() == DCSVC().fit(data.X_train, y).predict(data.X_train)
    ).mean() >= 0.999


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_rows_are_refused(bad):
    cupy = pytest.importorskip("cupy")
    X, y = np.random.default_rng(0).normal(size=(90, 3)), np.arange(90) % 3
    clf = DCSVC(device="cuda").fit(X, y)
    X[4, 1] = bad
    for rows in (X, cupy.asarray(X)):
        with pytest.raises(ValueError, match="contains"):
            clf.predict(rows)
        with pytest.raises(ValueError, match="contains"):
            DCSVC(device="cuda").fit(rows, y)


def test_too_little_memory_is_told():
    X, y = np.random.default_rng(0).normal(size=(3000, 3)), np.arange(3000) % 3
    with pytest.raises(MemoryError, match="Raise cache_size"):
        DCSVC(device="cuda", cache_size=0.01).fit(X, y)


def test_an_interrupt_leaves_the_classifier_as_it_was():
    X, y = np.random.default_rng(0).normal(size=(20_000, 20)), np.arange(20_000) % 2
    clf = DCSVC(device="cuda", C=1e6, gamma=1e-3, tol=1e-4)
    timer = threading.Timer(3.0, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    timer.join()
    assert not hasattr(clf, "machines_")


def test_two_processes_share_a_gpu():
    code = """
import numpy as np
from dcsvm import DCSVC
X, y = np.random.default_rng(0).normal(size=(3000, 5)), np.arange(3000) % 5
clf = DCSVC(device="cuda").fit(X, y)
assert (clf.predict(X) == clf.to("cpu").predict(X)).all()
"""
    both = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
