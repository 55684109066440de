"""Converted models, run by onnxruntime, against `predict` of the classifier itself."""

import re
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from dcsvm import DAGSVC, DCSVC, DCSVCCV, OneVsOneSVC
from dcsvm.onnx import to_onnx


def run(model, X, **options):
    session = onnxruntime.InferenceSession(
        to_onnx(model, **options).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (label,) = session.run(None, {"X": X})
    return label


CLASSIFIERS = {
    "default": DCSVC(),
    "θ=2 %": DCSVC(theta=0.02),
    "sign with shortlist": DCSVC(routing="sign", theta=0.01),
    "paper's rule": DCSVC.paper(),
    "paper's rule, θ=5 %": DCSVC.paper(theta=0.05, criterion="score"),
    "margin without shortlist": DCSVC(shortlist=None, theta=0.02),
    "vote": OneVsOneSVC(),
    "DAG": DAGSVC(),
    "search": DCSVCCV(Cs=[1.0], gammas=["scale"], cv=2),
}
KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 4, "coef0": 1.0},
    "degree 0": {"kernel": "poly", "degree": 0},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.003, "coef0": -0.1},
    "globally scaled": {"scaling": "global"},
    "rbf, machines scaled": {"scaling": "pair"},
    "linear, machines scaled": {"scaling": "pair", "kernel": "linear"},
    "poly, machines scaled": {"scaling": "pair", "kernel": "poly"},
    "far from zero": {"gamma": 40.0},
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_labels_are_those_of_predict(name, rows, elsewhere):
    model = CLASSIFIERS[name].fit(*rows)
    X = np.vstack([rows[0], elsewhere])
    np.testing.assert_array_equal(run(model, X), model.predict(X))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("cls", [DCSVC, OneVsOneSVC])
def test_labels_by_kernel(kernel, cls, rows, elsewhere):
    model = cls(**KERNELS[kernel]).fit(*rows)
    X = np.vstack([rows[0], elsewhere[:300]])
    np.testing.assert_array_equal(run(model, X), model.predict(X))


@pytest.mark.parametrize("kind", ["linear", "quadratic", "landmarks"])
def test_every_kind_of_shortlist(kind, rows, elsewhere, monkeypatch):
    functions = {
        "linear": "linear_shortlist",
        "quadratic": "quadratic_shortlist",
        "landmarks": "landmark_shortlist",
    }
    for other, function in functions.items():
        if other != kind:
            monkeypatch.setattr(f"dcsvm.routing.select.{function}", lambda *args, **kwargs: None)
    model = DCSVC(theta=0.01).fit(*rows)
    assert kind in model.shortlist_.name
    X = elsewhere[:400]
    np.testing.assert_array_equal(run(model, X), model.predict(X))


def test_the_vote_is_that_of_svc(rows, elsewhere):
    X = elsewhere[:400].copy()
    expected = SVC(decision_function_shape="ovo").fit(*rows).predict(X)
    found = run(OneVsOneSVC().fit(*rows), X)
    assert np.mean(found == expected) > 0.99  # two solvers, within their tolerance


@pytest.mark.parametrize("arithmetic", ["single, baseline", "double, baseline"], indirect=True)
@pytest.mark.parametrize("offset", [0.0, 3000.0])
def test_both_precisions(arithmetic, offset, rows):
    X, y = rows[0] + np.float32(offset), rows[1]
    model = DCSVC().fit(X, y)
    np.testing.assert_array_equal(run(model, X), model.predict(X))


@pytest.mark.parametrize("opset", [15, 18])
def test_older_operators(opset, rows, elsewhere):
    model = DCSVC(theta=0.01).fit(*rows)
    converted = to_onnx(model, target_opset=opset)
    assert {o.domain: o.version for o in converted.opset_import}[""] <= opset
    X = elsewhere[:100]
    np.testing.assert_array_equal(run(model, X, target_opset=opset), model.predict(X))


def test_operators_that_are_too_old_are_refused(rows):
    with pytest.raises(ValueError, match="target_opset"):
        to_onnx(DCSVC().fit(*rows), target_opset=13)


def test_only_standard_operators(rows):
    converted = to_onnx(DCSVC().fit(*rows))
    assert [o.domain for o in converted.opset_import] == [""]
    assert {node.domain for node in converted.graph.node} == {""}


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "b", "ü", "d", "e", "f", "g"]),
        np.array(["a", "b", "ü", "d", "e", "f", "g"], dtype=object),
        np.arange(-3, 4, dtype=np.int32),
        np.arange(7.0),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_of_other_types(labels, rows, elsewhere):
    model = DCSVC().fit(rows[0], labels[rows[1]])
    X = elsewhere[:50]
    assert run(model, X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("cls", [DCSVC, OneVsOneSVC, DAGSVC])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_few_classes(cls, n_classes, rows, elsewhere):
    few = rows[1] < n_classes
    model = cls().fit(rows[0][few], rows[1][few] > 0 if n_classes == 2 else rows[1][few])
    X = elsewhere[:200]
    assert run(model, X).tolist() == model.predict(X).tolist()


def test_pipelines_convert_whole(rows, elsewhere):
    X, y = rows[0].copy(), rows[1]
    X[::7, 2] = np.nan
    steps = [SimpleImputer(), StandardScaler(), MinMaxScaler(), PCA(4)]
    model = make_pipeline(*steps, DCSVC(gamma=3.0)).fit(X, y)
    new = elsewhere[:300].copy()
    new[::5, 1] = np.nan
    np.testing.assert_array_equal(run(model, new), model.predict(new))


def test_one_row_and_none(rows):
    model = DCSVC().fit(*rows)
    session = onnxruntime.InferenceSession(
        to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for n in (0, 1):
        label = session.run(None, {"X": rows[0][:n]})[0]
        np.testing.assert_array_equal(label, model.predict(rows[0])[:n])


def test_given_kernels(rows):
    X, y = rows
    gram = X @ X.T / 50
    model = DCSVC(kernel="precomputed").fit(gram, y)
    np.testing.assert_array_equal(run(model, gram), model.predict(gram))


def test_what_cannot_be_converted_says_so(rows):
    with pytest.raises(ValueError, match="Python function"):
        to_onnx(DCSVC(kernel=lambda X, Y: X @ Y.T).fit(*rows))
    with pytest.raises(ValueError, match="LogisticRegression cannot be written as ONNX"):
        to_onnx(DCSVC(shortlist=LogisticRegression(max_iter=1000)).fit(*rows))
    with pytest.raises(NotFittedError):
        to_onnx(DCSVC())
    dates = np.arange("2020-01", "2020-08", dtype="datetime64[M]")
    with pytest.raises(ValueError, match="Labels of type datetime64"):
        to_onnx(DCSVC().fit(rows[0], dates[rows[1]]))


def test_the_example_of_the_page(capsys):
    page = (Path(__file__).parents[2] / "docs" / "onnx.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^``` { .python }\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    exec(example, {})
    assert capsys.readouterr().out.split() == ["True"]
