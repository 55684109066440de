"""The machines of rounds, collected by row."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dcsvm.routing.route import NO_MACHINE, Phase, Round, paths


def round_of(rows, machine, phase=Phase.MACHINE):
    n = len(rows)
    rows, machine = np.array(rows, dtype=np.int64), np.array(machine, dtype=np.int32)
    return Round(rows, machine, np.zeros(n), np.ones((n, 3), bool), np.ones((n, 3), bool), phase)


@given(st.lists(st.dictionaries(st.integers(0, 7), st.integers(-1, 20)), max_size=6))
def test_paths_are_the_machines_of_each_row_in_order(rounds):
    expected = {row: [] for row in range(8)}
    for machine_of_row in rounds:
        for row, machine in machine_of_row.items():
            if machine != NO_MACHINE:
                expected[row].append(machine)
    found = paths((round_of(list(r), list(r.values())) for r in rounds), 8)
    assert len(found.start) == 9
    for row in range(8):
        path = found.machine[found.start[row] : found.start[row + 1]]
        assert path.tolist() == expected[row]
    assert found.start[-1] == len(found.machine)


def test_rows_without_rounds_have_empty_paths():
    found = paths([], 3)
    assert found.start.tolist() == [0, 0, 0, 0]
    assert found.machine.dtype == np.int32
