"""The geometry of the paper's first figure, judged by scikit-learn."""

import numpy as np
import pytest
from sklearn.svm import SVC

from dcsvm.datasets import load, make_artificial1


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_artificial1_as_the_first_machine_sees_it(kernel):
    data = load("artificial1")
    X, y = data.data, data.target
    svm_12 = SVC(kernel=kernel, gamma=0.5).fit(X[y <= 2], y[y <= 2])
    on_side_1 = {c: np.mean(svm_12.predict(X[y == c]) == 1) for c in range(1, 7)}
    assert on_side_1[1] >= 0.99
    assert on_side_1[2] <= 0.01
    assert on_side_1[3] == pytest.approx(0.5, abs=0.03)
    assert on_side_1[5] == pytest.approx(0.02, abs=0.012)
    if kernel == "linear":
        assert on_side_1[4] == 0
        assert on_side_1[6] == 1


def test_artificial1_is_the_same_every_time_and_takes_a_seed():
    np.testing.assert_array_equal(load("artificial1").data, make_artificial1().data)
    other = make_artificial1(50, random_state=1)
    assert other.data.shape == (300, 2)
    assert not np.isin(other.data[:5], load("artificial1").data).any()
