"""Rows as the compiled core takes them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from dcsvm import DCSVC, _core
from dcsvm._core import EngineDouble
from dcsvm.machines.query import core_rows, group_by


def data(n_features=11, seed=0):
    X, y = make_blobs(120, n_features, centers=4, cluster_std=3.0, random_state=seed)
    rng = np.random.default_rng(seed)
    return X / 4 * (rng.random(X.shape) < 0.7), y


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_duplicate_entries_of_a_sparse_row_are_summed(index):
    X, y = data()
    clf = DCSVC().fit(X, y)
    doubled = sparse.csr_array(X)
    split = sparse.csr_array(
        (
            np.repeat(doubled.data / 2, 2),
            np.repeat(doubled.indices, 2).astype(index),
            (2 * doubled.indptr).astype(index),
        ),
        shape=X.shape,
    )
    np.testing.assert_allclose(clf.decision_function(split), clf.decision_function(X), atol=1e-9)
    assert split.nnz == 2 * doubled.nnz, "the caller's matrix must not change"


@pytest.mark.parametrize(
    ("indices", "start", "message"),
    [
        ([0, 2], [0, 1, 2], "column index is out of range"),
        ([0, -1], [0, 1, 2], "column index is out of range"),
        ([0, 1], [0, 2, 1], "offsets must rise"),
    ],
)
def test_the_core_refuses_broken_sparse_rows(indices, start, message):
    with pytest.raises(ValueError, match=message):
        _core.sparse_rows(np.ones(2), np.array(indices), np.array(start), 2)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_rows_are_read_as_they_are_stored(form):
    X, _ = data()
    engine = EngineDouble(
        instruction_set="baseline", form="identity", coef0=0.0, degree=1,
        centre=np.zeros(11), scale=np.ones(11), query_bias=0.0, query_factor=1.0,
        vectors=np.eye(11), vector_bias=np.zeros(11), stored=None, column=None,
        start=np.empty(0, dtype=np.int64), index=np.empty(0, dtype=np.int32), coef=np.empty(0),
        intercept=np.zeros(11), own_centre=None, own_scale=None, panel_budget=0,
    )  # fmt: skip
    found = np.empty((11, len(X)))
    engine.all_values(core_rows(form(X)), 0, len(X), found)
    assert (found.T == X).all()


def test_groups_are_the_places_of_each_key():
    keys = np.array([5, 2, 5, 9, 2, 5])
    found = {key: places.tolist() for key, places in group_by(keys)}
    assert found == {2: [1, 4], 5: [0, 2, 5], 9: [3]}
