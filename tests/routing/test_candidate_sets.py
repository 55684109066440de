"""Sets as words against Python's own sets."""

import numpy as np
import pytest

from dcsvm.routing.candidate_sets import n_words, pack, unpack


@pytest.mark.parametrize("k", [1, 2, 63, 64, 65, 128, 200])
def test_words_hold_one_bit_per_class(k):
    rng = np.random.default_rng(k)
    membership = rng.random((20, k)) < 0.4
    words = pack(membership)
    assert words.shape == (20, n_words(k))
    for row, is_in in zip(words, membership, strict=True):
        bits = sum(int(word) << 64 * w for w, word in enumerate(row))
        assert {c for c in range(k) if bits >> c & 1} == set(np.flatnonzero(is_in).tolist())
        assert bits < 1 << k
    assert (unpack(words, k) == membership).all()


def test_intersections_are_counted_in_bulk():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 30, 130)) < 0.5
    common = np.bitwise_count(pack(a) & pack(b)).sum(axis=1)
    assert common.tolist() == (a & b).sum(axis=1).tolist()
