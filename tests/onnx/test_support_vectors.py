import numpy as np
import pytest

from dcsvm import OneVsOneSVC
from dcsvm.onnx import support_vectors
from dcsvm.onnx.support_vectors import best_length, chunks_of, exportable_plan, own_vectors


def test_chunks_hold_every_coefficient_once(rows):
    machines = OneVsOneSVC().fit(*rows).machines_
    chunks = chunks_of(machines)
    dense = np.zeros((machines.n_machines, machines.n_distinct_support))
    for m, (i, j) in enumerate(machines.pairs):
        for chunk in np.flatnonzero(np.isin(chunks.cls, (i, j))):
            other = j if chunks.cls[chunk] == i else i
            np.add.at(dense[m], chunks.vector[chunk], chunks.coef[chunk, :, other])
    expected = np.zeros_like(dense)
    for m in range(machines.n_machines):
        own = slice(machines.start[m], machines.start[m + 1])
        expected[m, machines.index[own]] = machines.coef[own]
    np.testing.assert_array_equal(dense, expected)


def test_chunks_are_as_long_as_is_cheapest():
    assert best_length(np.array([40, 41, 42]), 100) == 42
    assert best_length(np.array([1000, 16, 16]), 1000) == 16
    assert best_length(np.array([5000, 5000]), 3) <= support_vectors.MOST_TOGETHER


def test_support_vectors_of_a_machine_are_weighed_by_its_own_scaling(rows):
    machines = OneVsOneSVC(scaling="pair").fit(*rows).machines_
    own = own_vectors(machines)
    z = rows[0][:20] - own.centre
    extended = np.hstack([z, np.ones((20, 1)), z**2])
    values = np.exp(extended @ own.weights.T).reshape(20, *own.coef.shape)
    found = (values * own.coef).sum(axis=2) + machines.intercept
    expected = machines.all_values(machines.prepare(rows[0][:20]), 0, 20)
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_too_many_support_vectors_are_refused(rows, monkeypatch):
    machines = OneVsOneSVC().fit(*rows).machines_
    monkeypatch.setattr(support_vectors, "MOST_NUMBERS", 100)
    with pytest.raises(ValueError, match="too many"):
        exportable_plan(machines)


def test_distances_that_cancel_are_refused(rows):
    machines = OneVsOneSVC(gamma=1e13).fit(*rows).machines_
    with pytest.raises(ValueError, match="standardise"):
        exportable_plan(machines)
