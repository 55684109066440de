"""Machines as tables have the values that they have in Python."""

import numpy as np
import pytest
from tests.export.problems import KERNELS, SCALINGS, fitted, rows

from dcsvm.export import export


def values(exported, X):
    """Decision values by the formulas of export/machines.py."""
    tables, made = exported.tables, exported.machines
    q = (X - made.centre) * made.scale
    support = tables["support"].astype(np.float64)
    if made.function == "none":
        return q @ support.T + tables["intercept"]
    out = []
    coef = tables["coef"] * np.repeat(
        tables.get("coef_scale", np.ones(len(tables["intercept"]))), np.diff(tables["start"])
    )
    for m, (a, b) in enumerate(zip(tables["start"][:-1], tables["start"][1:], strict=True)):
        own = slice(int(a), int(b))
        s, qm, bias = support[tables["support_of"][own]], q, np.zeros(len(q))
        if made.product == "own_dot":
            qm = (q - tables["own_centre"][m]) * tables["own_scale"][m]
            bias = qm @ tables["own_shift"][m].astype(np.float64) + made.coef0
        if made.has_bias:
            bias = (q**2) @ tables["bias_square"] + q @ tables["bias_linear"] + made.coef0
        if made.product.endswith("dot"):
            z = qm @ s.T + bias[:, np.newaxis]
            z = z + (
                tables["vector_bias"][tables["support_of"][own]] if "vector_bias" in tables else 0
            )
        else:
            weight = tables.get("distance_weight", np.ones(len(made.scale)))
            weight = weight[m] if made.product == "own_weighted" else weight
            z = -(((qm[:, np.newaxis] - s) ** 2) * weight).sum(axis=2)
        functions = {"exp2": np.exp2, "tanh": np.tanh, "power": lambda z: z**made.degree}
        out.append(functions[made.function](z) @ coef[own] + tables["intercept"][m])
    return np.array(out).T


@pytest.mark.parametrize("support", ["float", "int16"])
@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_values(kernel, scaling, support):
    clf = fitted(kernel, scaling)
    X = rows()[2][:40].astype(np.float64)
    exported = export(clf, precision="double", support=support)
    machines = exported.machines.stored or clf.machines_
    expected = machines.all_values(machines.prepare(X), 0, len(X))
    scale = np.abs(expected).max()
    np.testing.assert_allclose(values(exported, X), expected, rtol=0, atol=2e-5 * scale)
