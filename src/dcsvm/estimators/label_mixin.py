"""`score` for every kind of label that `fit` takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_consistent_length

from dcsvm.data.labels import is_text, label_vector
from dcsvm.estimators.state import snapshot


class LabelClassifierMixin(ClassifierMixin):
    """scikit-learn's mixin, with a `score` for every kind of label that `fit` takes."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of `predict(X)` with respect to the true labels y."""
        now = snapshot(self)
        labels = label_vector(y)
        check_consistent_length(X, labels, sample_weight)
        if is_text(labels) != is_text(now.classes_):
            raise ValueError(
                f"y has labels like {labels[:1].tolist()[0]!r}, but the classes learnt are like "
                f"{now.classes_.tolist()[0]!r}."
            )
        right = np.asarray(now.predict(X) == labels, dtype=np.float64)
        return float(np.average(right, weights=sample_weight))
