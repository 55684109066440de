"""Checks of estimators of scikit-learn and skrub that come from a file.

Most of them compute with NumPy, which checks indices: wrong numbers give wrong results, or an
error. Where compiled code does not check its indices, they are checked here; so is what would
start processes or read further files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dcsvm.model_files.fields import require

MOST_JOBS = 256
# Patterns by which texts are cut into words. Some others take exponential time.
TOKEN_PATTERNS = (r"(?u)\b\w\w+\b", r"(?u)\b\w+\b")
# Generators whose state has no index into a buffer.
PLAIN_GENERATORS = ("PCG64", "PCG64DXSM", "SFC64")
PARTS_OF_MERSENNE_TWISTER = 624


def check_third_party(estimator: Any) -> Any:
    """Check an estimator and all objects within it; returns the estimator."""
    require(hasattr(estimator, "get_params"), "a step is no estimator")
    for part in _parts(estimator):
        for cls in type(part).__mro__:
            if cls.__name__ in CHECKS:
                CHECKS[cls.__name__](part)
        own = getattr(part, "__dict__", {})
        check_jobs(own.get("n_jobs"))
        require(own.get("memory") is None, "a step has a cache on a disk")
    return estimator


def _parts(root: Any) -> Iterator[Any]:
    """All objects within an object, each once."""
    seen: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        part = waiting.pop()
        if part is None or isinstance(part, str | bytes | int | float) or id(part) in seen:
            continue
        seen[id(part)] = part
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple | set):
            waiting.extend(part)
        elif isinstance(part, np.ndarray):
            waiting.extend(part.ravel().tolist() if part.dtype == object else ())
        elif not isinstance(part, type):
            waiting.extend(getattr(part, "__dict__", {}).values())


def check_jobs(n_jobs: Any) -> None:
    """Check that the number of processes or threads is bounded."""
    is_whole = isinstance(n_jobs, int | np.integer)
    is_usual = n_jobs is None or (is_whole and abs(int(n_jobs)) <= MOST_JOBS)
    require(is_usual, f"it asks for more than {MOST_JOBS} jobs")


def check_random(random: Any) -> None:
    """Check a value if it is a generator of random numbers."""
    if isinstance(random, np.random.RandomState):
        _check_random_state(random)
    elif isinstance(random, np.random.Generator):
        _check_generator(random)


def _check_random_state(random: np.random.RandomState) -> None:
    """Check the position of a Mersenne Twister within its state."""
    state: Any = random.get_state(legacy=False)
    require(state["bit_generator"] == "MT19937", "its random state is of an unknown kind")
    within = 0 <= state["state"]["pos"] <= PARTS_OF_MERSENNE_TWISTER
    require(within, "its random state is broken")


def _check_generator(random: np.random.Generator) -> None:
    kind = type(random.bit_generator).__name__
    require(kind in PLAIN_GENERATORS, f"its random state is of the kind {kind}")


def _check_tree(tree: Any) -> None:
    """Check that every node is reached once from the root, and that its feature exists."""
    left, right = tree.children_left, tree.children_right
    n, depth, n_met = len(left), 0, 1
    require(n >= 1, "a decision tree has no nodes")
    inner = left != -1
    features = tree.feature[inner]
    within = (features >= 0).all() and (features < tree.n_features).all()
    require(within, "a decision tree uses features that do not exist")
    level = np.flatnonzero(inner[:1])
    while len(level):
        level = np.concatenate([left[level], right[level]])
        n_met += len(level)
        depth += 1
        within = n_met <= n and level.min() > 0 and level.max() < n
        require(within, "a decision tree has children that do not exist")
        level = level[inner[level]]
    require(n_met == n and depth <= tree.max_depth, "a decision tree is not a tree")


def _check_tree_owner(estimator: Any) -> None:
    tree = vars(estimator).get("tree_")
    if tree is not None:
        require(type(tree).__name__ == "Tree", "a decision tree is missing")
        _require_equal(tree.n_features, estimator.n_features_in_)


def _check_forest(forest: Any) -> None:
    for estimator in vars(forest).get("estimators_", ()):
        require(hasattr(estimator, "tree_"), "a forest holds something that is no tree")
        _require_equal(estimator.tree_.n_features, forest.n_features_in_)


def _require_equal(a: Any, b: Any) -> None:
    require(type(b) is int and a == b, "a decision tree was fitted to other features")


def _check_libsvm(svm: Any) -> None:
    """Check the sizes and indices from which libsvm reads its support vectors."""
    own = vars(svm)
    if "support_" not in own:
        return
    n_classes = len(svm.classes_)
    n_pairs = n_classes * (n_classes - 1) // 2
    n_vectors, n_rows = len(svm.support_), svm.shape_fit_[0]
    precomputed = svm.kernel == "precomputed"
    require(own.get("_sparse") is False, "an SVC was fitted to sparse rows")
    shapes = {
        "support_": (n_vectors,),
        "support_vectors_": (0, 0) if precomputed else (n_vectors, svm.n_features_in_),
        "_n_support": (n_classes,),
        "_dual_coef_": (n_classes - 1, n_vectors),
        "_intercept_": (n_pairs,),
    }
    fits = all(own[name].shape == shape for name, shape in shapes.items())
    counts = own["_n_support"]
    require(fits and counts.sum() == n_vectors, "an SVC does not fit its support vectors")
    require((counts >= 0).all(), "an SVC has a negative number of support vectors")
    inside = ((svm.support_ >= 0) & (svm.support_ < n_rows)).all()
    require(n_classes >= 2 and inside, "an SVC has support vectors that do not exist")
    lengths = {len(own[name]) for name in ("_probA", "_probB")}
    require(lengths in ({0}, {n_pairs}), "an SVC has probabilities of other classes")


def _check_one_hot(encoder: Any) -> None:
    """Check that every code of a category has a column."""
    own = vars(encoder)
    if "categories_" not in own:
        return
    n = len(encoder.categories_)
    outs, drops = own["_n_features_outs"], own["_drop_idx_after_grouping"]
    grouped = own.get("_infrequent_enabled", False) is not False
    mappings = own["_default_to_infrequent_mappings"] if grouped else [None] * n
    dropped = [None] * n if drops is None else list(drops)
    fits = len(outs) == len(dropped) == len(mappings) == n
    require(fits, "a OneHotEncoder has too few or too many features")
    for categories, out, drop, mapping in zip(
        encoder.categories_, outs, dropped, mappings, strict=True
    ):
        codes = len(categories)
        _check_sorted(categories)
        if mapping is not None:
            fits = mapping.shape == (codes,) and mapping.dtype.kind == "i" and codes > 0
            require(fits and mapping.min() >= 0, "a OneHotEncoder groups unknown categories")
            codes = int(mapping.max()) + 1
        is_code = drop is None or (isinstance(drop, int | np.integer) and 0 <= drop < codes)
        require(is_code, "a OneHotEncoder drops an unknown category")
        has_columns = type(out) is int and out == codes - (drop is not None)
        require(has_columns, "a OneHotEncoder has not one column per category")


def _check_sorted(categories: Any) -> None:
    """Check that numbers are sorted, as they are looked up by bisection."""
    require(isinstance(categories, np.ndarray) and categories.ndim == 1, "categories are no list")
    if categories.dtype.kind not in "OUS":
        known = categories[:-1] if categories.dtype.kind == "f" else categories  # NaN is the last
        require((known[:-1] < known[1:]).all(), "the categories of a OneHotEncoder are not sorted")
        last = categories[-2:]
        require(not (len(last) == 2 and last[0] > last[1]), "the last category is not the largest")


def _check_vectorizer(vectorizer: Any) -> None:
    """Check that every word has a column."""
    own = vars(vectorizer)
    pattern = own.get("token_pattern")
    require(pattern is None or pattern in TOKEN_PATTERNS, "it has a token_pattern of its own")
    vocabulary = own.get("vocabulary_")
    if vocabulary is None:
        return
    require(isinstance(vocabulary, dict), "a vocabulary is not a dict")
    numbers = list(vocabulary.values())
    whole = all(isinstance(number, int | np.integer) for number in numbers)
    require(whole and sorted(numbers) == list(range(len(numbers))), "a vocabulary has gaps")


CHECKS: dict[str, Callable[[Any], None]] = {
    "BaseDecisionTree": _check_tree_owner,
    "BaseForest": _check_forest,
    "BaseLibSVM": _check_libsvm,
    "CountVectorizer": _check_vectorizer,
    "Generator": _check_generator,
    "OneHotEncoder": _check_one_hot,
    "RandomState": _check_random_state,
    "Tree": _check_tree,
}
