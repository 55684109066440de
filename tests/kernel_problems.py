"""A problem for every built-in kernel."""

import numpy as np
from sklearn.datasets import make_blobs

# "rbf, far apart" cannot be expanded without loss: it goes by distances.
KERNELS = {
    "linear": {"kernel": "linear", "C": 0.1},
    "poly": {"kernel": "poly", "gamma": 0.1, "coef0": 1.0},
    "rbf": {"kernel": "rbf", "gamma": 0.1},
    "rbf, far apart": {"kernel": "rbf", "gamma": 2.0},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.02},
}


def problem(k=7, d=5, n=420, seed=0):
    centres = np.random.default_rng(seed).normal(size=(k, d)) * 2
    X, y = make_blobs(n, centers=centres, cluster_std=1.5, random_state=seed)
    return X[::2], y[::2], X[1::2], y[1::2]
