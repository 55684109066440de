"""The allowlist: which types and functions a model file may hold.

A file names types, and for each the class of skops that loads it. Only combinations of the two on
these lists are loaded. Types of scikit-learn and skrub are listed under the package that makes
them public; most keep what they have learnt in arrays and use it through NumPy, which checks
indices. Of those that pass their state to compiled code that does not, some are checked in
`third_party.py`; the others, such as nearest neighbours and gradient boosting, are not listed.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from importlib import import_module
from typing import Any
from zipfile import ZipFile

import numpy as np

from dcsvm.model_files.archive import allowed_bytes, check_array, nodes
from dcsvm.model_files.fields import ModelFileError, require


def _sets(names: dict[str, str]) -> dict[str, frozenset[str]]:
    """Sets of the names that each text lists, separated by spaces."""
    return {key: frozenset(listed.split()) for key, listed in names.items()}


# Numbers, text, and what holds them.
PLAIN = _sets(
    {
        "DictNode": "builtins.dict",
        "ListNode": "builtins.list",
        "TupleNode": "builtins.tuple",
        "SetNode": "builtins.set",
        "SliceNode": "builtins.slice",
        "DTypeNode": "numpy.dtype",
        "RandomStateNode": "numpy.random.mtrand.RandomState",
        "RandomGeneratorNode": "numpy.random._generator.Generator",
        "TreeNode": "sklearn.tree._tree.Tree",
        # The loss functions of linear classifiers with `partial_fit`.
        "LossNode": "sklearn._loss._loss.CyHalfBinomialLoss sklearn.linear_model._sgd_fast.Hinge "
        "sklearn.linear_model._sgd_fast.ModifiedHuber sklearn.linear_model._sgd_fast.SquaredHinge",
        # Time zones of date columns: by name, or by a fixed offset from UTC.
        "ConstructorFromReduceNode": "zoneinfo.ZoneInfo datetime.timezone datetime.timedelta",
    }
)
NUMPY_SCALARS = frozenset(
    f"numpy.{name}"
    for name in (
        *("bool", "bool_", "str_", "float16", "float32", "float64", "datetime64", "timedelta64"),
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    )
)
PLAIN["NdArrayNode"] = NUMPY_SCALARS | {"numpy.ndarray"}
PLAIN["TypeNode"] = NUMPY_SCALARS | {f"builtins.{name}" for name in ("str", "int", "float", "bool")}

# Functions that inspect a column or compute numbers, without side effects.
FUNCTIONS = _sets(
    {
        "skrub._dataframe._common": "has_nulls is_any_date is_bool is_categorical is_duration "
        "is_float is_integer is_numeric is_object is_string",
        "skrub._table_vectorizer": "_created_by_predicate",
        "skrub.selectors._selectors": "_cardinality_below _null_count_check",
        "sklearn.feature_selection._univariate_selection": "chi2 f_classif",
        "sklearn.feature_selection._mutual_info": "mutual_info_classif",
        "numpy": "abs absolute exp expm1 log log10 log1p log2 sqrt",
    }
)

ESTIMATORS = _sets(
    {
        "sklearn.compose": "ColumnTransformer make_column_selector",
        "sklearn.decomposition": "PCA TruncatedSVD",
        "sklearn.discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
        "sklearn.dummy": "DummyClassifier",
        "sklearn.ensemble": "ExtraTreesClassifier RandomForestClassifier",
        "sklearn.feature_extraction.text": "CountVectorizer HashingVectorizer TfidfTransformer "
        "TfidfVectorizer",
        "sklearn.feature_selection": "SelectFromModel SelectKBest SelectPercentile "
        "VarianceThreshold",
        "sklearn.impute": "MissingIndicator SimpleImputer",
        "sklearn.kernel_approximation": "Nystroem RBFSampler",
        "sklearn.linear_model": "LogisticRegression LogisticRegressionCV "
        "PassiveAggressiveClassifier Perceptron RidgeClassifier RidgeClassifierCV SGDClassifier",
        "sklearn.naive_bayes": "BernoulliNB ComplementNB GaussianNB MultinomialNB",
        "sklearn.neighbors": "NearestCentroid",
        "sklearn.neural_network": "MLPClassifier",
        "sklearn.pipeline": "FeatureUnion Pipeline",
        "sklearn.preprocessing": "Binarizer FunctionTransformer KBinsDiscretizer LabelBinarizer "
        "LabelEncoder MaxAbsScaler MinMaxScaler Normalizer OneHotEncoder OrdinalEncoder "
        "PowerTransformer QuantileTransformer RobustScaler StandardScaler",
        "sklearn.svm": "LinearSVC NuSVC SVC",
        "sklearn.tree": "DecisionTreeClassifier ExtraTreeClassifier",
        "skrub": "ApplyToCols Cleaner DatetimeEncoder DropUninformative SquashingScaler "
        "StringEncoder TableVectorizer ToDatetime",
        "pandas": "DatetimeTZDtype",
    }
)
# Private parts of the above.
INTERNALS = _sets(
    {
        "polars.datatypes.classes": "Datetime",
        # Until scikit-learn 1.8.
        "sklearn.compose._column_transformer": "_RemainderColsList",
        "sklearn.neural_network._stochastic_optimizers": "AdamOptimizer SGDOptimizer",
        "skrub._apply_to_each_col": "ApplyToEachCol",
        "skrub._check_input": "CheckInputDataFrame",
        "skrub._clean_categories": "CleanCategories",
        "skrub._clean_null_strings": "CleanNullStrings",
        "skrub._datetime_encoder": "_CircularEncoder",
        "skrub._drop_uninformative": "DropUninformative",
        "skrub._duration_to_float": "DurationToFloat",
        "skrub._select_cols": "Drop",
        "skrub._table_vectorizer": "PassThrough ShortReprDict",
        "skrub._to_datetime": "ToDatetime",
        "skrub._to_float": "ToFloat",
        "skrub._to_str": "ToStr",
        "skrub.selectors._base": "All And Cols Filter Inv Or Sub XOr",
    }
)


def check_schema(schema: dict[str, Any], archive: ZipFile, file_size: int) -> list[str]:
    """Check every node of a schema; returns the types for skops' parameter `trusted`."""
    ids, types, trees = Counter[Any](), dict[tuple[str, str, str], None](), []
    n_bytes = 0
    for node in nodes(schema):
        loader = node["__loader__"]
        if loader == "CachedNode":  # refers to another one
            continue
        ids[node.get("__id__")] += 1
        if loader == "JsonNode":  # is loaded as plain JSON, whatever type it names
            continue
        types[loader, str(node.get("__module__")), str(node.get("__class__"))] = None
        if loader == "NdArrayNode" and node.get("type") == "numpy":
            shape, dtype = check_array(archive, node.get("file"))
            n_bytes += math.prod(shape) * dtype.itemsize
        if loader == "TreeNode":
            trees.append(node)
    require(n_bytes <= allowed_bytes(file_size), "it uses the same arrays too often")
    names = {_checked_name(*named) for named in types}
    for tree in trees:
        _check_tree(tree, archive, ids)
    return sorted(names - PLAIN["NdArrayNode"] - PLAIN["TypeNode"])


def _check_tree(tree: dict[str, Any], archive: ZipFile, ids: Counter[Any]) -> None:
    """Check what skops passes to the compiled constructor of a decision tree.

    No other node may have the same id: skops would use that node in place of the one checked.
    """
    made_of, state = tree["__reduce__"]["args"], tree["content"]
    _, n_classes, n_outputs = made_of["content"]
    nodes, n_nodes = (state["content"][name] for name in ("nodes", "node_count"))
    parts = (made_of, n_classes, n_outputs, state, nodes, n_nodes)
    loaders = ["TupleNode", "NdArrayNode", "JsonNode", "DictNode", "NdArrayNode", "JsonNode"]
    require([part["__loader__"] for part in parts] == loaders, "a decision tree is broken")
    alone = all("__id__" not in part or ids[part["__id__"]] == 1 for part in parts)
    require(alone, "a decision tree is made of parts of others")
    for array, length in ((n_classes, n_outputs), (nodes, n_nodes)):
        shape, dtype = check_array(archive, array.get("file"))
        fits = shape == (json.loads(length["content"]),) and array["type"] == "numpy"
        require(fits, "a decision tree is longer than it says")
        require(array is nodes or dtype == np.intp, "a decision tree has no numbers of classes")


def _checked_name(loader: str, module: str, cls: str) -> str:
    name = f"{module}.{cls}"
    if loader == "FunctionNode":
        is_allowed = cls in FUNCTIONS.get(module, ())
    elif loader == "ObjectNode":
        is_allowed = cls in INTERNALS.get(module, ()) or _is_estimator(module, cls)
    else:
        is_allowed = name in PLAIN.get(loader, ())
    if not is_allowed:
        what = "the function " if loader == "FunctionNode" else ""
        raise ModelFileError(f"it holds {what}{name}, which is not on the list of what is safe")
    return name


def _is_estimator(module: str, cls: str) -> bool:
    """Whether a class is on the list, and the module is the one it is defined in."""
    for package, names in ESTIMATORS.items():
        if cls in names and (module == package or module.startswith(f"{package}.")):
            found = getattr(import_module(package), cls, None)
            return found is not None and found.__module__ == module
    return False
