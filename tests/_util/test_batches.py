"""Parts of long tables."""

import pytest

from dcsvm._util.batches import MOST_ROWS_AT_ONCE, NUMBERS_AT_ONCE, rows_at_once, slices


@pytest.mark.parametrize("n_features", [1, 10, 1000, 10**5, 10**7])
def test_rows_at_once_are_as_many_as_fit(n_features):
    n = rows_at_once(n_features)
    assert 1 <= n <= MOST_ROWS_AT_ONCE
    assert n == 1 or n * n_features <= NUMBERS_AT_ONCE
    assert n == MOST_ROWS_AT_ONCE or (n + 1) * n_features > NUMBERS_AT_ONCE


@pytest.mark.parametrize(("n", "most"), [(0, 3), (1, 3), (3, 3), (10, 3), (10, 1)])
def test_slices_cover_all_in_order(n, most):
    parts = [list(range(n))[part] for part in slices(n, most)]
    assert [item for part in parts for item in part] == list(range(n))
    assert all(len(part) == most for part in parts[:-1])
    assert all(0 < len(part) <= most for part in parts)
