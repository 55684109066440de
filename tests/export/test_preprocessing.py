"""The stages of pipelines compute what their steps do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from tests.export.compiled import COMPILERS, CompiledModel

from dcsvm import DCSVC
from dcsvm.export import ExportError, to_c
from dcsvm.export.preprocessing import EntryMap, Projection, stages_of


def apply(stages, X):
    """What the stages say, entry by entry."""
    for stage in (*stages.before, stages.last):
        if isinstance(stage, Projection):
            X = (X - stage.mean) @ stage.matrix.T
            continue
        assert isinstance(stage, EntryMap)
        x = X[:, stage.source]
        missing = np.isnan(x)
        x = np.where(missing & ~np.isnan(stage.fill), stage.fill, x)
        x = np.where(stage.is_gap, missing.astype(float), x)
        X = np.clip((x - stage.centre) * stage.scale, stage.low, stage.high)
    return X


def gappy(n=80):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 5)) * [1, 10, 0.1, 3, 1] + [0, 100, 5, -7, 1]
    X[random.random(X.shape) < 0.15] = np.nan
    X[:, 4] = 1.0
    return X


def columns_of_numbers():
    union = FeatureUnion(
        [
            ("values", make_pipeline(SimpleImputer(strategy="median"), StandardScaler())),
            ("gaps", MissingIndicator(error_on_new=False)),
        ]
    )
    parts = [("a", union, [2, 0]), ("b", SimpleImputer(), slice(3, 5)), ("c", "drop", [1])]
    return ColumnTransformer(parts, transformer_weights={"a": 0.5})


STEPS = {
    "standard": (SimpleImputer(), StandardScaler()),
    "scaled before filled": (StandardScaler(), SimpleImputer(add_indicator=True)),
    "without mean": (
        SimpleImputer(),
        StandardScaler(with_mean=False),
        StandardScaler(with_std=False),
    ),
    "clipped": (
        SimpleImputer(),
        MinMaxScaler((-1, 2), clip=True),
        StandardScaler(),
        MaxAbsScaler(),
    ),
    "PCA": (
        SimpleImputer(),
        StandardScaler(),
        PCA(3),
        MinMaxScaler(clip=True),
        PCA(2, whiten=True),
    ),
    "columns": (columns_of_numbers(), MinMaxScaler()),
    "nothing": ("passthrough", SimpleImputer(strategy="constant", fill_value=3.0)),
}


@pytest.mark.parametrize("steps", STEPS)
def test_stages_compute_what_the_steps_do(steps):
    X = gappy()
    pipeline = make_pipeline(*STEPS[steps]).fit(X[:40])
    new = X[40:].copy()
    new[0] = 1e6
    found = apply(stages_of(pipeline, 5, None), new)
    np.testing.assert_allclose(found, pipeline.transform(new), rtol=1e-9, atol=1e-12)


def test_columns_by_name():
    X = pd.DataFrame(gappy(), columns=list("abcde"))
    step = ColumnTransformer([("x", SimpleImputer(), ["d", "b"]), ("y", "passthrough", ["e"])])
    stages = stages_of(step.fit(X), 5, list("abcde"))
    np.testing.assert_allclose(apply(stages, X.to_numpy()), step.transform(X))


def test_what_stages_cannot_do():
    X = gappy()
    union = FeatureUnion([("p", make_pipeline(SimpleImputer(), PCA(2))), ("f", SimpleImputer())])
    refused = {
        "put it after them": union,
        "missing_values=-1": SimpleImputer(missing_values=-1),
        "before the SimpleImputer": make_pipeline(
            SimpleImputer(), MissingIndicator(features="all")
        ),
    }
    for said, step in refused.items():
        known = np.nan_to_num(X) if said.startswith("missing") else X
        with pytest.raises(ExportError, match=said):
            stages_of(step.fit(known), 5, None)


@pytest.mark.skipif(not COMPILERS, reason="no C compiler: apt-get install gcc")
@pytest.mark.parametrize("steps", ["columns", "PCA", "clipped"])
def test_pipelines_in_c(steps, tmp_path):
    X = np.vstack([gappy(), gappy() + 2]).astype(np.float32).astype(np.float64)
    y = (np.arange(160) >= 80) + (np.nan_to_num(X[:, 0]) > 1)
    model = make_pipeline(*STEPS[steps], DCSVC()).fit(X, y)
    compiled = CompiledModel(to_c(model), tmp_path, flags=("-O1",))
    assert compiled.predict(X).tolist() == model.predict(X).tolist()
