"""The fitted attributes of SVC, compared with those of SVC."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.svm import SVC

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC

ATTRIBUTES = (
    "support_",
    "support_vectors_",
    "n_support_",
    "dual_coef_",
    "intercept_",
    "class_weight_",
    "shape_fit_",
    "fit_status_",
)
KERNELS = [
    {"kernel": "rbf"},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.05},
]


def dense(found):
    return found.toarray() if sparse.issparse(found) else np.asarray(found)


def iris(n_classes=3, seed=0):
    """Rows that all differ, in no order, with labels that sort otherwise than they come."""
    X, y = load_iris(return_X_y=True)
    X, first = np.unique(X, axis=0, return_index=True)
    order = np.random.default_rng(seed).permutation(len(X))
    X, y = X[order], np.array(["b", "c", "a"])[y[first][order]]
    kept = y != "c" if n_classes == 2 else np.ones(len(y), dtype=bool)
    return X[kept], y[kept]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("parameters", KERNELS, ids=lambda p: p["kernel"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_they_are_those_of_svc(n_classes, parameters, container):
    X, y = iris(n_classes)
    shared = {"tol": 1e-9, "C": 0.7, "class_weight": {"a": 2.0}, **parameters}
    svc, clf = SVC(**shared).fit(container(X), y), DCSVC(**shared).fit(container(X), y)
    for name in ATTRIBUTES:
        found, expected = getattr(clf, name), getattr(svc, name)
        np.testing.assert_allclose(dense(found), dense(expected), atol=2e-4, err_msg=name)
        assert sparse.issparse(found) == sparse.issparse(expected), name
    assert clf.n_support_.dtype == svc.n_support_.dtype
    assert clf.support_.dtype == svc.support_.dtype
    assert hasattr(clf, "coef_") == hasattr(svc, "coef_") == (parameters["kernel"] == "linear")
    if hasattr(svc, "coef_"):
        np.testing.assert_allclose(dense(clf.coef_), dense(svc.coef_), atol=2e-4)
        assert sparse.issparse(clf.coef_) == sparse.issparse(svc.coef_)


@pytest.mark.parametrize("make", [DCSVC, OneVsOneSVC, DAGSVC])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_values_of_pairs_are_those_of_svc(make, n_classes):
    X, y = iris(n_classes)
    shared = {"tol": 1e-9, "gamma": 0.5, "decision_function_shape": "ovo"}
    expected = SVC(**shared).fit(X, y).decision_function(X)
    clf = make(**shared).fit(X, y)
    found = clf.decision_function(X)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, atol=1e-5)
    labels = clf.predict(X)
    assert (labels == clf.set_params(decision_function_shape="ovr").predict(X)).all()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scaling", [None, "global", "pair"])
@pytest.mark.parametrize("factor", [1.0, 1e9])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_coefficients_and_intercepts_are_the_decision_function(
    n_classes, scaling, factor, container
):
    X, y = iris(n_classes)
    X = container(X * factor)
    C = 1.0 if scaling else factor**-2
    clf = DCSVC(kernel="linear", scaling=scaling, C=C, decision_function_shape="ovo").fit(X, y)
    values = clf.decision_function(X).reshape(X.shape[0], -1)
    linear = dense(X @ clf.coef_.T) + clf.intercept_
    np.testing.assert_allclose(linear, values, atol=2e-4)
    if scaling is None:
        by_vectors = dense(clf.dual_coef_) @ dense(clf.support_vectors_)
        if n_classes == 2:
            np.testing.assert_allclose(by_vectors, dense(clf.coef_), atol=1e-12)
        svc = SVC(kernel="linear", C=C).fit(X, y)
        np.testing.assert_allclose(
            dense(clf.dual_coef_), dense(svc.dual_coef_), atol=2e-3 * C, rtol=0.05
        )
    np.testing.assert_allclose(
        dense(clf.support_vectors_), dense(X)[clf.support_], rtol=1e-9, atol=1e-12 * factor
    )


def test_of_equal_rows_the_first_stands_for_all():
    X, y = iris()
    twice, labels = np.vstack([X, X[::2]]), np.concatenate([y, y[::2]])
    clf = DCSVC().fit(twice, labels)
    assert clf.support_.max() < len(X)
    assert len(np.unique(clf.support_)) == len(clf.support_) == clf.n_support_.sum()
    assert (clf.support_vectors_ == twice[clf.support_]).all()
    assert (labels[clf.support_] == np.repeat(clf.classes_, clf.n_support_)).all()


def test_rows_without_weight_keep_their_numbers():
    X, y = iris()
    weight = np.ones(len(X))
    weight[::3] = 0
    clf = DCSVC(tol=1e-9).fit(X, y, sample_weight=weight)
    svc = SVC(tol=1e-9, gamma=clf.machines_.kernel.gamma).fit(X, y, sample_weight=weight)
    # SVC's numbers are among the rows that have a weight.
    np.testing.assert_array_equal(clf.support_, np.flatnonzero(weight)[svc.support_])
    assert (clf.support_vectors_ == X[clf.support_]).all()
    assert clf.shape_fit_ == (len(X), 4)


def test_of_a_kernel_matrix():
    X, y = iris()
    svc, clf = (make(kernel="precomputed").fit(X @ X.T, y) for make in (SVC, DCSVC))
    for name in ("support_", "n_support_", "support_vectors_", "shape_fit_"):
        np.testing.assert_array_equal(getattr(clf, name), getattr(svc, name), err_msg=name)
    np.testing.assert_allclose(clf.dual_coef_, svc.dual_coef_, atol=5e-3)


@pytest.mark.parametrize("selector", [RFE, SelectFromModel])
def test_features_are_selected_by_coefficients(selector):
    X, y = load_digits(return_X_y=True)
    X, y = X[:300] / 16, y[:300]
    expected = selector(SVC(kernel="linear", tol=1e-6)).fit(X, y).get_support()
    assert (selector(DCSVC(kernel="linear", tol=1e-6)).fit(X, y).get_support() == expected).all()


def test_what_is_missing_says_why():
    X, y = iris()
    for name in (*ATTRIBUTES[:5], "coef_"):
        with pytest.raises(NotFittedError):
            getattr(DCSVC(), name)
    with pytest.raises(AttributeError, match=r"fit with kernel='linear', or use .*permutation"):
        DCSVC().fit(X, y).coef_  # noqa: B018
    needed = DCSVC(machines="needed", theta=0.01, kernel="linear").fit(np.vstack([X, X]), [*y, *y])
    assert (np.vstack([X, X])[needed.support_] == needed.support_vectors_).all()
    for name in ("dual_coef_", "intercept_", "coef_"):
        with pytest.raises(AttributeError, match=f"{name}.*machines='all'"):
            getattr(needed, name)
    with pytest.raises(ValueError, match="machines='all'"):
        needed.set_params(decision_function_shape="ovo").decision_function(X)


def test_coefficients_cannot_be_changed_by_mistake():
    clf = DCSVC(kernel="linear").fit(*iris())
    with pytest.raises(ValueError, match="read-only"):
        clf.coef_[0, 0] = 1
    with pytest.raises(AttributeError):
        clf.coef_ = np.ones(4)


def test_the_shared_machines_have_them_too():
    clf = DCSVC(class_weight={"a": 2.0}).fit(*iris())
    for make in (OneVsOneSVC, DAGSVC):
        other = make.from_machines(clf)
        for name in ATTRIBUTES:
            np.testing.assert_array_equal(getattr(other, name), getattr(clf, name))
