"""`fit` on hostile rows: an error that says what is wrong, or a model that agrees with itself."""

import warnings

import numpy as np
from scipy import sparse
from tests.fuzz.choices import Choices

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC

SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1e-310, 1e308, -1e308, 1.0]
DTYPES = ["f8", "f4", "f2", "g", ">f8", ">f4", "i8", "i4", "u1", "?", "O"]
FAULTS = (np.linalg.LinAlgError, UnicodeError)  # are ValueErrors, but say nothing to the user


def fit_and_predict(data):
    choices = Choices(data)
    X, y = rows(choices), labels(choices)
    model = estimator(choices)
    n = min(X.shape[0], len(y))
    X, y = X[:n], y[:n]
    weight = None
    if choices.once_in(6):
        weight = choices.generator().choice([0.0, 1.0, 2.0, 1e-300, 1e300, -1.0], n)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if answered(lambda: model.fit(X, y, sample_weight=weight)):
            answered(lambda: check_answers(model, X, choices))


def answered(action):
    """Whether it ends without an error; the only one allowed is a ValueError of ours."""
    try:
        action()
    except FAULTS:
        raise
    except ValueError:
        return False
    return True


def check_answers(model, X, choices):
    predicted = model.predict(X)
    decision = model.decision_function(X)
    assert predicted.shape == (X.shape[0],)
    assert np.isin(predicted, model.classes_).all()
    if len(model.classes_) > 2:
        assert decision.shape == (X.shape[0], len(model.classes_))
        if isinstance(model, DCSVC):  # of the others ties are decided by more than the votes
            assert not np.isnan(decision).any()
            assert (model.classes_[decision.argmax(axis=1)] == predicted).all()
    model.set_params(n_jobs=choices.between(1, 2))
    assert (model.predict(X) == predicted).all()


def rows(choices):
    """A matrix, or something like one."""
    n, d = choices.between(2, 40), choices.between(1, 8)
    rng = choices.generator()
    X = rng.normal(size=(n, d)) + rng.integers(0, 3, size=(n, 1))
    with np.errstate(all="ignore"):
        for _ in range(choices.below(4)):
            X = HOSTILE[choices.below(len(HOSTILE))](X, choices, rng)
        return CONTAINERS[choices.below(len(CONTAINERS))](X, choices)


def scaled(X, choices, rng):
    return X * 10.0 ** choices.between(-300, 300)


def columns_scaled(X, choices, rng):
    return X * 10.0 ** rng.integers(-300, 301, X.shape[1])


def one_row_far_away(X, choices, rng):
    X[choices.below(len(X))] *= 10.0 ** choices.between(1, 300)
    return X


def moved(X, choices, rng):
    return X + 10.0 ** choices.between(0, 20)


def repeated(X, choices, rng):
    return X[rng.integers(0, choices.between(1, len(X)), len(X))]


def rounded(X, choices, rng):
    return np.round(X)


def denormal(X, choices, rng):
    return X * 1e-310


def with_special_values(X, choices, rng):
    X[rng.random(X.shape) < 0.2] = choices.of(SPECIAL)
    return X


def with_one_special_value(X, choices, rng):
    X[choices.below(X.shape[0]), choices.below(X.shape[1])] = choices.of(SPECIAL)
    return X


def with_constant_column(X, choices, rng):
    X[:, choices.below(X.shape[1])] = choices.of(SPECIAL)
    return X


HOSTILE = [
    scaled,
    columns_scaled,
    one_row_far_away,
    moved,
    repeated,
    rounded,
    denormal,
    with_special_values,
    with_one_special_value,
    with_constant_column,
]


def of_other_strides(X, choices):
    wide = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)
    return [np.asfortranarray(X), wide[::2, ::3], X[::-1], X[:, ::-1]][choices.below(4)]


def of_other_type(X, choices):
    dtype = choices.of(DTYPES)
    if np.dtype(dtype).kind in "iu":
        X = np.nan_to_num(X).clip(-100, 100)
    return X.astype(dtype)


def read_only(X, choices):
    X.setflags(write=False)
    return X


def sparse_matrix(X, choices):
    kind = choices.of([sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array])
    made = kind(X).tocsr()
    if choices.once_in(3):
        made.indices, made.indptr = made.indices.astype("i8"), made.indptr.astype("i8")
    if choices.once_in(4):  # the last entry of each row stands there twice
        made.indices = np.repeat(made.indices, 2)
        made.data = np.repeat(made.data, 2)
        made.indptr = made.indptr * 2
        made.has_canonical_format = choices.once_in(2)
    return made


CONTAINERS = [lambda X, choices: X, of_other_strides, of_other_type, read_only, sparse_matrix]


def labels(choices):
    k, rng = choices.between(2, 6), choices.generator()
    codes = np.concatenate([np.arange(k), rng.integers(0, k, 40 - k)])
    kind = choices.below(6)
    if kind == 1:
        return np.array(["", "a", "ä", "b" * 50, "c", "d"])[codes]
    if kind == 2:
        return np.array(["a", "b", "c", "d", "e", "f"], dtype=object)[codes]
    if kind == 3:
        return codes * np.int64(2**62)
    if kind == 4:
        return codes % 2 == 1
    if kind == 5:
        return codes * choices.of([1.0, 1e300, np.nan])
    return codes


def estimator(choices):
    common = {
        "kernel": choices.of(["rbf", "linear", "poly", "sigmoid"]),
        "C": 10.0 ** choices.between(-8, 8),
        "gamma": choices.of(["scale", "auto", 1e-10, 0.1, 10.0, 1e10]),
        "degree": choices.of([3, 0, 1, 2, 7]),
        "coef0": choices.of([0.0, 1.0, -1.0, 1e10]),
        "scaling": choices.of([None, None, "global", "pair"]),
        "class_weight": choices.of([None, None, "balanced"]),
        "max_iter": choices.of([20_000, 20_000, 1000, 1]),
        "cache_size": choices.of([200, 1e-3]),
    }
    kind = choices.below(4)
    if kind == 3:
        return choices.of([OneVsOneSVC, DAGSVC])(**common)
    if kind == 2:
        return DCSVC.paper(theta=choices.of([0.0, 0.001, 0.2]), **common)
    return DCSVC(
        theta=choices.of([0.0005, 0.0, 0.1, "auto"]),
        shortlist=choices.of(["auto", None]),
        routing=choices.of(["margin", "sign"]),
        criterion=choices.of(["cost", "purity", "score"]),
        table_rows=choices.of([None, 1, 3]),
        **common,
    )
