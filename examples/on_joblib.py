"""Fit a DivideAndConquerClassifier on a cluster of Dask or Ray, by joblib.

Its classifiers, one for each pair of classes, are fitted on the cluster. The rows must fit into the
memory of each worker: Dask sends them to the workers once.
"""

import joblib

from dcsvm import DivideAndConquerClassifier


def fit_on_dask(estimator, X, y):
    """Fit on the cluster of the distributed.Client that was made last."""
    with joblib.parallel_config("dask"):
        return DivideAndConquerClassifier(estimator).fit(X, y)


def fit_on_ray(estimator, X, y):
    """Fit on the cluster that ray.init has connected to."""
    from ray.util.joblib import register_ray

    register_ray()
    with joblib.parallel_config("ray"):
        return DivideAndConquerClassifier(estimator).fit(X, y)
