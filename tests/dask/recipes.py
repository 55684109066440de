"""The recipes for Spark, Ray and joblib, run where these are installed; `make test-dask` does.

Each gives what the same model gives in this process, and loads it once in a process.
"""

import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import dcsvm
from dcsvm import DCSVC, DivideAndConquerClassifier

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.filterwarnings("default")
X, Y = load_digits(return_X_y=True)
FEATURES = [f"x{f}" for f in range(X.shape[1])]
FRAME = pd.DataFrame(X, columns=FEATURES)


def recipe(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model file, and what it predicts."""
    path = tmp_path_factory.mktemp("model") / "digits.dcsvm"
    clf = DCSVC().fit(FRAME, np.array([f"digit {label}" for label in Y]))
    dcsvm.save(clf, path)
    return str(path), clf.predict(FRAME)


def test_spark(model, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    spark = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    try:
        spark.sparkContext.addPyFile(str(EXAMPLES / "on_spark.py"))
        on_spark = recipe("on_spark")
        rows = spark.createDataFrame(FRAME.assign(n=range(len(FRAME)))).repartition(6)
        labelled = on_spark.with_labels(rows, model[0], FEATURES).toPandas().sort_values("n")
        assert labelled["label"].tolist() == model[1].tolist()

        def loads(batches):
            from on_spark import model_of

            for _ in batches:
                info = model_of.cache_info()
                yield pd.DataFrame({"process": [os.getpid()], "loads": [info.misses]})

        both = on_spark.with_labels(rows, model[0], FEATURES)
        counted = both.mapInPandas(loads, "process long, loads long").toPandas()
        assert counted["loads"].max() == 1
    finally:
        spark.stop()


def test_ray_data(model):
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    paths = os.pathsep.join([str(EXAMPLES), str(Path(dcsvm.__file__).parents[1])])
    found_there = {"env_vars": {"PYTHONPATH": paths}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=found_there)
    try:
        rows = ray.data.from_pandas(FRAME.assign(n=range(len(FRAME)))).repartition(6)
        on_ray = recipe("on_ray")
        labelled = on_ray.with_labels(rows, model[0], FEATURES, actors=1).to_pandas()
        assert labelled.sort_values("n")["label"].tolist() == model[1].tolist()
        few = Y < 4
        rows, labels = X[few] / 16, Y[few]
        local = DivideAndConquerClassifier(LogisticRegression()).fit(rows, labels)
        there = recipe("on_joblib").fit_on_ray(LogisticRegression(), rows, labels)
        assert np.array_equal(there.predict(rows), local.predict(rows))
    finally:
        ray.shutdown()


def test_joblib_on_dask_sends_rows_once(client, monkeypatch):
    sent, scatter = [], type(client).scatter

    def counting(self, data, *others, **named):
        sent.extend(data if isinstance(data, list) else [data])
        return scatter(self, data, *others, **named)

    monkeypatch.setattr(type(client), "scatter", counting)
    few = Y < 4
    rows, labels = X[few] / 16, Y[few]
    local = DivideAndConquerClassifier(LogisticRegression()).fit(rows, labels)
    there = recipe("on_joblib").fit_on_dask(LogisticRegression(), rows, labels)
    assert np.array_equal(there.predict(rows), local.predict(rows))
    large = [data for data in sent if isinstance(data, np.ndarray) and data.shape == rows.shape]
    assert len(large) == 1
