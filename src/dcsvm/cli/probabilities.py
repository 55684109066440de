"""The columns of `dcsvm predict` that come from probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from dcsvm.cli.errors import UserError
from dcsvm.cli.options import PredictOptions

# Between the labels of a set.
SEPARATOR = " | "
SET_NAME = "set"


class ProbabilityColumns:
    """What `--proba`, `--top` and `--set` add."""

    def __init__(self, classifier: Any, options: PredictOptions) -> None:
        self.classifier = classifier
        self.options = options
        wanted = (("--proba", options.proba), ("--top", options.top), ("--set", options.set_))
        given = [name for name, value in wanted if value not in (None, False)]
        if given and not hasattr(classifier, "predict_set"):
            raise UserError(
                f"{given[0]} needs probabilities, which this model does not have: make it by "
                "dcsvm fit --probability."
            )
        if options.set_ is not None and not 0 < options.set_ < 1:
            raise UserError(f"--set is a chance between 0 and 1, such as 0.95, not {options.set_}.")
        classes = classifier.classes_.tolist()
        self.labels = pa.array(classes)
        self.n_top = min(options.top or 0, len(classes))
        self.fields = []
        if options.proba:
            self.fields += [pa.field(f"probability_{c}", pa.float64()) for c in classes]
        for place in range(1, self.n_top + 1):
            self.fields.append(pa.field(f"top_{place}", self.labels.type))
            self.fields.append(pa.field(f"top_{place}_probability", pa.float64()))
        if options.set_ is not None:
            self.fields.append(pa.field(SET_NAME, pa.string()))

    def of_rows(self, X: Any) -> list[Any]:
        """The columns for some rows."""
        columns: list[Any] = []
        if self.options.proba:
            columns += [pa.array(column) for column in self.classifier.predict_proba(X).T]
        if self.n_top:
            labels, probabilities = self.classifier.predict_top(X, self.n_top)
            codes = np.searchsorted(self.classifier.classes_, labels)
            for place in range(self.n_top):
                columns.append(self.labels.take(pa.array(codes[:, place])))
                columns.append(pa.array(np.ascontiguousarray(probabilities[:, place])))
        if self.options.set_ is not None:
            found = self.classifier.predict_set(X, self.options.set_, output="labels")
            texts = [SEPARATOR.join(map(str, labels.tolist())) for labels in found]
            columns.append(pa.array(texts, pa.string()))
        return columns
