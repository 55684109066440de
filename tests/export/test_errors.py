"""What cannot be exported is refused in a sentence that says what to do."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, QuantileTransformer
from tests.export.problems import rows

from dcsvm import DCSVC, DivideAndConquerClassifier
from dcsvm.export import ExportError, to_c, to_wasm
from dcsvm.export.errors import ExportError as Defined


def models():
    X, y, _ = rows()
    X = X.astype(np.float64)
    gram = X @ X.T
    machines = DivideAndConquerClassifier(LogisticRegression())
    return {
        "Python function": DCSVC(kernel=lambda A, B: A @ B.T).fit(X, y),
        "kernel='precomputed'": DCSVC(kernel="precomputed").fit(gram, y),
        "shortlist='auto'": DCSVC(shortlist=LogisticRegression()).fit(X, y),
        "DivideAndConquerClassifier": machines.fit(X, y),
        "not DummyClassifier": DummyClassifier().fit(X, y),
        "PolynomialFeatures cannot be": make_pipeline(PolynomialFeatures(), DCSVC()).fit(X, y),
        "QuantileTransformer": make_pipeline(QuantileTransformer(n_quantiles=9), DCSVC()).fit(X, y),
    }


@pytest.mark.filterwarnings("ignore")
def test_refusals():
    assert ExportError is Defined
    for said, model in models().items():
        for to in (to_c, to_wasm):
            with pytest.raises(ExportError, match=said) as error:
                to(model)
            assert str(error.value).endswith(".")


def test_options():
    X, y, _ = rows()
    clf = DCSVC().fit(X, y)
    with pytest.raises(ExportError, match="precision must be one of auto, float, double"):
        to_c(clf, precision="half")
    with pytest.raises(ExportError, match="support must be one of exact, float, int8, int16"):
        to_c(clf, support="bits")
    with pytest.raises(ExportError, match=r"more than 10 nodes.*OneVsOneSVC"):
        to_c(clf.rethreshold(shortlist=None), max_nodes=10)
