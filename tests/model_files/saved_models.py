"""Small fitted models of every kind that a model file can hold."""

from functools import cache

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import dcsvm
from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC
from dcsvm.estimators.access import fitted_state, sample_of

K, N = 4, 120

rng = np.random.default_rng(0)
CODES = np.arange(N) % K
LABELS = np.array(["ash", "birch", "cedar", "dogwood"])[CODES]
X = rng.normal(size=(N, 3)) + CODES[:, np.newaxis] * np.array([1.0, 0.5, -1.0])
SPARSE = sparse.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
GRAM = X @ X.T
FRAME = pd.DataFrame(
    {
        "width": np.where(np.arange(N) == 3, np.nan, X[:, 0]),
        "soil": np.array(["clay", "sand", "loam"])[rng.integers(0, 3, N)],
        "planted": pd.date_range("2020-01-01", periods=N),
        "note": [f"tree {i} stands near number {i % 9}" for i in range(N)],
        "side": pd.Categorical(rng.choice(["north", "south"], N)),
        "height": X[:, 2],
    }
)


def columns():
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["width", "height"]),
            ("one_hot", OneHotEncoder(handle_unknown="ignore", max_categories=2), ["soil"]),
            ("ordinal", OrdinalEncoder(), ["side"]),
        ]
    )


def vectorized():
    from skrub import TableVectorizer

    return make_pipeline(TableVectorizer(), SimpleImputer(), StandardScaler(), DCSVC())


def forest():
    return RandomForestClassifier(3, max_depth=3, random_state=0)


# What is fitted, to what.
MODELS = {
    "default": (lambda: DCSVC(theta=0.005), X),
    "by vote": (DCSVC, X),
    "margin": (lambda: DCSVC(shortlist=None, theta=0.2), X),
    "paper": (DCSVC.paper, X),
    "sign": (lambda: DCSVC(routing="sign", class_weight="balanced"), X),
    "pair": (lambda: DCSVC(scaling="pair", kernel="poly"), X),
    "global": (lambda: DCSVC(scaling="global", theta=0.01), X),
    "sparse": (DCSVC, SPARSE),
    "precomputed": (lambda: DCSVC(kernel="precomputed"), GRAM),
    "linear": (lambda: DCSVC(kernel="linear"), X),
    "vote": (lambda: OneVsOneSVC(kernel="sigmoid", gamma=0.01), X),
    "platt": (DAGSVC, X),
    "logistic": (lambda: DivideAndConquerClassifier(LogisticRegression()), X),
    "trees": (lambda: DivideAndConquerClassifier(DecisionTreeClassifier(max_depth=3)), X),
    "svc": (lambda: DivideAndConquerClassifier(SVC()), X),
    "pairwise_svc": (lambda: DivideAndConquerClassifier(SVC(kernel="precomputed")), GRAM),
    "nested": (lambda: DivideAndConquerClassifier(DCSVC()), X),
    "forest": (lambda: DCSVC(shortlist=forest()), X),
    "piped": (lambda: DCSVC(shortlist=make_pipeline(StandardScaler(), LogisticRegression())), X),
    "probability": (lambda: DCSVC(probability=True), X),
    "vote_probability": (lambda: OneVsOneSVC(probability=True), X),
    "logistic_probability": (
        lambda: DivideAndConquerClassifier(LogisticRegression(), probability=True),
        X,
    ),
    "needed": (lambda: DCSVC(machines="needed", theta=0.01), X),
    "columns": (lambda: make_pipeline(columns(), DCSVC()), FRAME),
    "table": (vectorized, FRAME),
    "bins": (lambda: make_pipeline(KBinsDiscretizer(3), OneVsOneSVC()), X),
}


@cache
def fitted(name):
    """A fitted model, and the rows that it was fitted to; for all tests the same."""
    make, rows = MODELS[name]
    return make().fit(rows, LABELS), rows


def there_and_back(model, folder, **kwargs):
    dcsvm.save(model, folder / "model.dcsvm", **kwargs)
    return dcsvm.load(folder / "model.dcsvm")


def last_step(model):
    return model[-1] if hasattr(model, "steps") else model


def answers(model, rows):
    """All answers of a model about rows."""
    if hasattr(model, "steps"):
        model, rows = model[-1], model[:-1].transform(rows)
    found = {"predict": model.predict(rows), "decision": model.decision_function(rows)}
    if hasattr(model, "predict_proba"):
        found["probability"] = model.predict_proba(rows)
    if hasattr(model, "decision_cost"):
        found.update(model.decision_cost(rows))
    if "route" in fitted_state(model):
        found["apply"], found["path"] = model.apply(rows), model.decision_path(rows).toarray()
    if hasattr(model, "table_"):
        found["table"] = model.table_.counts
        found["rethreshold"] = model.rethreshold(theta=0.05).decision_function(rows)
    if "sample" in fitted_state(model):
        found["sample"] = sparse.csr_matrix(sample_of(model).X).toarray()
        found["sample_codes"] = sample_of(model).codes
    return found


def assert_same_answers(model, other, rows):
    expected, found = answers(model, rows), answers(other, rows)
    assert expected.keys() == found.keys()
    for name in expected:
        assert expected[name].dtype == found[name].dtype, name
        np.testing.assert_array_equal(expected[name], found[name], err_msg=name)
