import numpy as np
import pytest
from tests.onnx.graphs import new_graph, run_graph
from tests.oracles import kernel_matrix

from dcsvm import OneVsOneSVC
from dcsvm.onnx.machine_values import BatchValues

KERNELS = {
    "linear": {"kernel": "linear"},
    "rbf": {"kernel": "rbf"},
    "far apart": {"kernel": "rbf", "gamma": 30.0},
    "poly": {"kernel": "poly", "coef0": 0.5, "degree": 5},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.01},
    "machines scaled": {"scaling": "pair"},
}


@pytest.mark.parametrize("name", KERNELS)
def test_values_are_those_of_the_machines(name, rows, elsewhere):
    machines = OneVsOneSVC(**KERNELS[name]).fit(*rows).machines_
    X = np.vstack([rows[0], elsewhere]).astype(np.float64)
    g = new_graph()
    values = BatchValues(g, machines, "X").values()
    found = run_graph(g, [values], {"X": X})[0]
    expected = machines.all_values(machines.prepare(X), 0, len(X))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


def test_values_by_the_formula(rows, elsewhere):
    machines = OneVsOneSVC().fit(*rows).machines_
    K = kernel_matrix(machines.kernel, elsewhere.astype(float), machines.pool)
    expected = np.column_stack(
        [
            K[:, machines.index[a:b]] @ machines.coef[a:b] + intercept
            for a, b, intercept in zip(
                machines.start[:-1], machines.start[1:], machines.intercept, strict=True
            )
        ]
    )
    g = new_graph()
    values = BatchValues(g, machines, "X").values()
    found = run_graph(g, [values], {"X": elsewhere.astype(np.float64)})[0]
    np.testing.assert_allclose(found, expected, atol=1e-4)
