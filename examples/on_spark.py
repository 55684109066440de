"""Predict a Spark data frame with a model file.

    spark.sparkContext.addPyFile("on_spark.py")  # so that executors can import this file
    labelled = with_labels(frame, "letter.dcsvm", ["x1", "x2", "x3"])

The model file must be where every executor can read it. Each process of an executor loads it once.
"""

from functools import lru_cache

from pyspark.sql.types import StructField, StructType

import dcsvm


@lru_cache(maxsize=1)
def model_of(path):
    """The model, loaded when a process first asks for it."""
    return dcsvm.load(path)


def with_labels(frame, path, features, label_type="string"):
    """The frame with a column "label"."""

    def predict(batches):
        classifier = model_of(path)
        for batch in batches:
            labels = classifier.predict(batch[features]) if len(batch) else []
            yield batch.assign(label=labels)

    label = StructType.fromDDL(f"label {label_type}").fields[0]
    fields = [*frame.schema.fields, StructField(label.name, label.dataType)]
    return frame.mapInPandas(predict, StructType(fields))
