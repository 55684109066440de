"""What is interrupted, starved and copied: data, fitted models, and how they are compared."""

import numpy as np
from sklearn.datasets import make_blobs

from dcsvm import DCSVC

X, y = make_blobs(400, centers=8, n_features=5, cluster_std=4.0, random_state=0)
# Other rows, with other classes: a mixture of old and new would show.
OTHER_X, OTHER_Y = make_blobs(500, centers=5, n_features=6, cluster_std=4.0, random_state=1)
OTHER_Y = OTHER_Y + 100


def growing():
    """A model whose structure grows while it predicts, and its labels for rows not seen yet."""
    return DCSVC(shortlist=None, theta=0.0, n_jobs=2).fit(X, y)


def new_rows():
    return np.random.default_rng(2).uniform(X.min(), X.max(), size=(4000, X.shape[1]))


def answers(model):
    """What identifies a fitted model, or says that it is not fitted."""
    if not hasattr(model, "classes_"):
        return None
    rows = X if model.n_features_in_ == X.shape[1] else OTHER_X
    return model.classes_.tolist(), model.predict(rows).tolist(), model.table_.counts.tolist()


class FaultError(Exception):
    """Something that must not be."""


def require(condition, message):
    if not condition:
        raise FaultError(message)
