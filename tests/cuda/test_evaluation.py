import numpy as np
import pytest
from tests.cuda.problems import classes_in_plane
from tests.oracles import machine_values

from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.cuda.evaluation import DeviceMachines


@pytest.mark.parametrize(
    "given",
    [{}, {"kernel": "linear"}, {"kernel": "poly"}, {"kernel": "sigmoid"}, {"gamma": 50.0}],
)
@pytest.mark.parametrize("C", [1.0, 1e4])
def test_products_add_up_to_the_values(device, given, C):
    X, y = classes_in_plane()
    machines = OneVsOneSVC(C=C, tol=0.5, **given).fit(X, y).machines_
    there = DeviceMachines(device, machines)
    products = there.products(there.queries(X))
    i, j = machines.pairs.T
    values = (products[i, :, j] + products[j, :, i]).T + there.intercept
    expected = machine_values(machines, X)
    assert np.allclose(values, expected, atol=2e-3, rtol=1e-5)


def test_panels_hold_each_machine_once(device):
    X, y = classes_in_plane(per_class=40)
    machines = DCSVC(C=0.1).fit(X, y).machines_
    there = DeviceMachines(device, machines)
    panels = there.panels
    for m in range(machines.n_machines):
        own = slice(panels.start[m], panels.start[m + 1])
        coef = panels.coef[own].ravel()
        n = machines.n_support[m]
        begin = machines.start[m]
        assert np.allclose(coef[:n], machines.coef[begin : begin + n])
        assert not coef[n:].any()
        vectors = panels.vectors[own].transpose(0, 2, 1).reshape(-1, X.shape[1])
        assert np.array_equal(vectors[:n], there.vectors[machines.index[begin : begin + n]])


def test_machines_that_cannot_be_evaluated_are_refused(device):
    X, y = classes_in_plane()
    machines = DCSVC(scaling="pair").fit(X, y).machines_
    with pytest.raises(ValueError, match="scaling='pair' cannot predict on a GPU"):
        DeviceMachines(device, machines)
