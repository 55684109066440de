"""Predict a dataset of Ray with a model file.

    labelled = with_labels(ray.data.read_parquet("rows/"), "letter.dcsvm", ["x1", "x2", "x3"])

The model file must be where every node can read it. Each actor, which has a process of its own,
loads it once.
"""

import dcsvm


class Predictor:
    """Adds a column "label" to batches of rows."""

    def __init__(self, path, features):
        self.classifier, self.features = dcsvm.load(path), features

    def __call__(self, batch):
        """The batch with its labels."""
        return batch.assign(label=self.classifier.predict(batch[self.features]))


def with_labels(dataset, path, features, actors=2):
    """The dataset with a column "label"."""
    return dataset.map_batches(
        Predictor,
        fn_constructor_args=(path, features),
        concurrency=actors,
        batch_format="pandas",
    )
