"""Within the limit nothing overflows, and the limit is far beyond ordinary rows."""

import numpy as np
import pytest
from tests.kernel_problems import KERNELS, problem

from dcsvm import OneVsOneSVC
from dcsvm._core import RowTooLongError
from dcsvm.machines.overflow import Sizes, norm_limit


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
@pytest.mark.parametrize("in_double", [False, True])
def test_values_are_finite_up_to_the_limit(kernel, scaling, in_double):
    X, y, asked, _ = problem()
    machines = OneVsOneSVC(**KERNELS[kernel], scaling=scaling).fit(X, y).machines_
    engine, limit = machines.engine, machines.engine.norm_limit
    if in_double:
        engine, limit = machines.unlimited
        limit = min(limit, 1e290)
    assert np.isfinite(limit)
    direction = (asked[:20] - asked.mean(axis=0)) / np.array(engine.scale)
    length = np.linalg.norm(direction * np.array(engine.scale), axis=1, keepdims=True)
    at_limit = np.array(engine.centre) + direction * np.sqrt(limit) / length * (1 - 1e-9)
    values = np.empty((machines.n_machines, 20))
    engine.all_values(machines.prepare(at_limit).rows, 0, 20, values)
    assert np.isfinite(values).all()
    if not in_double:
        assert np.linalg.norm(at_limit, axis=1).min() > 1e3 * np.linalg.norm(asked, axis=1).max()
        with pytest.raises(RowTooLongError):
            engine.all_values(machines.prepare(2 * at_limit).rows, 0, 20, values)


def test_the_limit_follows_from_the_largest_number():
    power = {"form": "power"}
    limit = norm_limit(power, 4, 0.0, 1.0, Sizes(1.0, 1e4), np.float32)
    assert limit == pytest.approx((1e36 / 1e4) ** (2 / 4))
    shifted = norm_limit(power, 4, 0.0, 1.0, Sizes(1.0, 1e4, 3.0, 2.0), np.float32)
    assert shifted == pytest.approx(((1e36 / 1e4) ** (1 / 4) / 2 - 3) ** 2)
    assert norm_limit(power, 2, 1e30, 1.0, Sizes(1.0, 1.0), np.float32) == 0.0
    assert norm_limit({"form": "tanh"}, 0, 0.0, 1.0, Sizes(0.0, 1.0), np.float32) == 1e30
