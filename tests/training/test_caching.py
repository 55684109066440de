"""The memory that kernel values take, by hand."""

import numpy as np
import pytest

from dcsvm import DCSVC
from dcsvm.training import caching
from dcsvm.training.caching import cache_bytes, cache_megabytes

MB = 2**20


@pytest.fixture
def free(monkeypatch):
    def so_much(megabytes):
        found = None if megabytes is None else megabytes * MB
        monkeypatch.setattr(caching, "free_memory", lambda: found)

    return so_much


def test_a_number_is_halved_between_classes_and_threads(free):
    free(1)
    assert cache_bytes(100, np.array([10, 20]), 500, 4, 2) == (50 * MB, 25 * MB)
    assert cache_bytes(1e300, np.array([10]), 5, 4, 1).shared == caching.LARGEST_CACHE * MB / 2
    assert cache_megabytes(None) == 200
    assert cache_megabytes(3.0) == 3


def test_none_takes_what_is_needed_if_it_pays(free):
    n_rows = np.array([1008, 3008, 2008])
    free(10_000)
    within = 4 * sum(n * (n + 16) for n in n_rows.tolist())
    of_thread = 4 * 4 * sum(n * (n + 16) for n in [3008, 2008])
    found = cache_bytes(None, n_rows, 784, 4, 2)
    assert found.shared >= within
    assert found.of_thread >= of_thread
    assert found.shared + 2 * found.of_thread <= within + 2 * of_thread + 1
    assert cache_bytes(None, n_rows, 10, 4, 2) == (100 * MB, 50 * MB)  # few features
    assert cache_bytes(None, n_rows // 100, 784, 4, 1) == (100 * MB, 100 * MB)  # few rows


@pytest.mark.parametrize("n_features", [10, 784])
def test_none_takes_half_of_what_is_free_at_most(free, n_features):
    free(100)
    found = cache_bytes(None, np.full(10, 6000), n_features, 4, 2)
    assert found.shared + 2 * found.of_thread <= 50 * MB
    assert found.shared == 25 * MB
    free(None)  # where nothing is known, as much as SVC takes
    assert cache_bytes(None, np.full(10, 6000), n_features, 4, 2) == (100 * MB, 50 * MB)


@pytest.mark.parametrize("cache_size", [0.5, 5, 400, None])
def test_a_classifier_does_not_depend_on_it(cache_size):
    rng = np.random.default_rng(0)
    y = np.arange(1800) % 3
    X = rng.normal(size=(1800, 130)) + 0.2 * rng.normal(size=(3, 130))[y]
    found = DCSVC(cache_size=cache_size).fit(X, y)
    expected = DCSVC(cache_size=200).fit(X, y)
    assert np.array_equal(found.machines_.coef, expected.machines_.coef)
    assert np.array_equal(found.table_.counts, expected.table_.counts)


def test_little_is_taken_without_a_look_at_the_memory(monkeypatch):
    def fail():
        raise AssertionError("looked at")

    monkeypatch.setattr(caching, "free_memory", fail)
    assert cache_bytes(None, np.array([50, 50, 50]), 784, 4, 1) == (100 * MB, 100 * MB)
