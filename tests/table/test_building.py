"""What the engine sees of rows, against the values themselves."""

import numpy as np
from sklearn.datasets import make_blobs

from dcsvm import DCSVC
from dcsvm.machines.value_statistics import value_statistics


def test_what_is_observed_is_what_the_values_are(arithmetic):
    X, y = make_blobs(300, centers=7, n_features=5, cluster_std=4.0, random_state=0)
    machines = DCSVC().fit(X[77:], y[77:]).machines_
    asked = X[:77]
    weight, edges = np.arange(77.0), np.array([0, 5, 40, 77])
    seen = machines.observe(asked, weight, edges, keep_signs=True)
    values = machines.all_values(machines.prepare(asked), 0, 77)
    expected = value_statistics(values, weight, edges, keep_signs=True)
    assert (seen.signs == expected.signs).all()
    for found, wanted in zip(seen[:-1], expected[:-1], strict=True):
        tolerance = 1e-12 if arithmetic == "double" else 1e-5
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
