"""What fit and predict refuse, each with an error that says what to do."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from sklearn.utils._param_validation import InvalidParameterError

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC

X, Y = load_iris(return_X_y=True)


ESTIMATORS = [DCSVC(), OneVsOneSVC(), DAGSVC(), DivideAndConquerClassifier(LogisticRegression())]


@pytest.mark.parametrize(
    "parameters",
    [
        {"C": 0.0},
        {"C": -1.0},
        {"kernel": "cosine"},
        {"degree": -1},
        {"degree": 2.5},
        {"gamma": -1.0},
        {"gamma": "large"},
        {"scaling": "minmax"},
        {"class_weight": "even"},
        {"tol": 0.0},
        {"cache_size": 0},
        {"max_iter": -2},
        {"max_iter": 0},
        {"n_jobs": "all"},
        {"theta": -0.1},
        {"theta": 0.5},
        {"theta": 2},
        {"criterion": "entropy"},
        {"routing": "random"},
    ],
)
def test_parameters_out_of_range_are_named(parameters):
    (name,) = parameters
    with pytest.raises(InvalidParameterError, match=f"The '{name}' parameter of DCSVC must be"):
        DCSVC(**parameters).fit(X, Y)
    if name in OneVsOneSVC().get_params():
        with pytest.raises(InvalidParameterError, match=f"The '{name}' parameter"):
            OneVsOneSVC(**parameters).fit(X, Y)


@pytest.mark.parametrize("clf", ESTIMATORS)
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.where(np.eye(150, 4), np.nan, X), "NaN"),
        (np.where(np.eye(150, 4), np.inf, X), "infinity"),
        (X[:0], "minimum of 1 is required"),
        (X[:, :0], "minimum of 1 is required"),
        (X[0], "Expected 2D array"),
    ],
    ids=["NaN", "infinity", "no rows", "no columns", "a vector"],
)
def test_rows_that_cannot_be_used(clf, bad, message):
    with pytest.raises(ValueError, match=message):
        clf.fit(bad, Y[: len(bad)])
    fitted = clf.fit(X, Y)
    with pytest.raises(ValueError, match=rf"{message}|features"):
        fitted.predict(bad)


@pytest.mark.parametrize("clf", ESTIMATORS)
def test_wrong_number_of_features(clf):
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4"):
        clf.fit(X, Y).predict(X[:, :3])


@pytest.mark.parametrize("clf", ESTIMATORS)
@pytest.mark.parametrize("method", ["predict", "decision_function", "decision_cost"])
def test_not_fitted(clf, method):
    if hasattr(clf, method):
        with pytest.raises(NotFittedError):
            getattr(type(clf)(**clf.get_params(deep=False)), method)(X)


def test_what_is_fitted_is_not_there_before():
    assert not hasattr(DCSVC(), "dag_")
    assert not hasattr(DCSVC(), "predictor_")
    with pytest.raises(NotFittedError):
        DCSVC().dag_.n_nodes  # noqa: B018


def test_class_weight_must_be_positive():
    with pytest.raises(ValueError, match="class_weight must be positive, but class 2 has 0"):
        DCSVC(class_weight={2: 0.0}).fit(X, Y)


@pytest.mark.parametrize("weight", [np.ones(3), np.full(150, np.nan), np.ones((150, 2))])
def test_weights_that_do_not_fit(weight):
    with pytest.raises(ValueError, match=r"[Ss]ample.weight"):
        DCSVC().fit(X, Y, sample_weight=weight)


def test_precomputed_kernels_must_be_square_and_dense():
    with pytest.raises(ValueError, match="square matrix"):
        DCSVC(kernel="precomputed").fit(X, Y)
    with pytest.raises(TypeError, match="toarray"):
        DCSVC(kernel="precomputed").fit(sparse.csr_array(X @ X.T), Y)
    with pytest.raises(ValueError, match="standardise the features before"):
        DCSVC(kernel="precomputed", scaling="pair").fit(X @ X.T, Y)


def test_a_kernel_function_must_return_a_matrix_of_the_right_shape():
    with pytest.raises(ValueError, match=r"must return an array of shape \(100, 100\)"):
        DCSVC(kernel=lambda A, B: A @ A.T[:, :3]).fit(X, Y)


@pytest.mark.parametrize("parameters", [{"tol": 2.0}, {"tol": 100}])
def test_tolerances_that_stop_the_solver_at_once_are_refused(parameters):
    with pytest.raises(InvalidParameterError, match="tol"):
        DCSVC(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    "parameters", [{"max_iter": 2**80}, {"cache_size": 1e300}, {"gamma": 1e300}, {"gamma": 1e-300}]
)
def test_enormous_parameters_mean_no_bound_or_the_limit(parameters):
    svc = SVC(**{n: v for n, v in parameters.items() if n == "gamma"}).fit(X, Y)
    assert DCSVC(**parameters).fit(X, Y).score(X, Y) == pytest.approx(svc.score(X, Y), abs=0.01)
    if "gamma" not in parameters:
        kernel = {"kernel": rbf_kernel, **parameters}
        assert OneVsOneSVC(**kernel).fit(X, Y).score(X, Y) > 0.95


def test_polynomials_that_overflow_are_refused():
    with pytest.raises(ValueError, match="lower degree"):
        DCSVC(kernel="poly", degree=2**31 - 1).fit(X, Y)


def test_precomputed_kernels_of_any_estimator_must_be_square():
    for clf in (
        DCSVC(kernel="precomputed"),
        DivideAndConquerClassifier(SVC(kernel="precomputed")),
    ):
        with pytest.raises(ValueError, match="must be a square matrix"):
            clf.fit(X @ X[:10].T, Y)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", rbf_kernel])
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
def test_tags_promise_sparse_input_where_fit_takes_it(kernel, scaling):
    clf = DCSVC(kernel=kernel, scaling=scaling)
    if clf.__sklearn_tags__().input_tags.sparse:
        clf.fit(sparse.csr_matrix(X), Y)
    else:
        with pytest.raises(ValueError, match="sparse"):
            clf.fit(sparse.csr_matrix(X), Y)


def test_a_false_flag_of_canonical_format_changes_nothing():
    data = np.stack([X[:, ::-1], X[:, ::-1]]).transpose(1, 0, 2).reshape(len(X), -1) / 2
    indices = np.tile([3, 2, 1, 0, 3, 2, 1, 0], len(X))
    lying = sparse.csr_matrix((data.ravel(), indices, np.arange(len(X) + 1) * 8), X.shape)
    lying.has_canonical_format = True
    clf, other = DCSVC().fit(X, Y), DCSVC().fit(lying, Y)
    lying.has_canonical_format = True
    expected = clf.decision_function(X)
    np.testing.assert_allclose(other.decision_function(X), expected, atol=1e-3)
    np.testing.assert_allclose(clf.decision_function(lying), expected, atol=1e-5)
