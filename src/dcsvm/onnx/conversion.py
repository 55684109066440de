"""Converters for skl2onnx."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from skl2onnx import convert_sklearn, update_registered_converter
from skl2onnx.common.data_types import (
    BooleanTensorType,
    DoubleTensorType,
    FloatTensorType,
    Int64TensorType,
    StringTensorType,
)
from sklearn.utils.validation import check_is_fitted

from dcsvm.estimators.access import route_of, votes
from dcsvm.estimators.dagsvc import DAGSVC
from dcsvm.estimators.dcsvc import DCSVC
from dcsvm.estimators.dcsvc_cv import DCSVCCV
from dcsvm.estimators.one_vs_one import OneVsOneSVC
from dcsvm.onnx.elimination import add_elimination
from dcsvm.onnx.graph import DOUBLE, Graph
from dcsvm.onnx.machine_values import BatchValues
from dcsvm.onnx.structure import add_path
from dcsvm.onnx.voting import add_vote
from dcsvm.routing.elimination.rounds import Elimination

CONVERTED = {
    DCSVC: "DcsvmDCSVC",
    DCSVCCV: "DcsvmDCSVCCV",
    DAGSVC: "DcsvmDAGSVC",
    OneVsOneSVC: "DcsvmOneVsOneSVC",
}

# The oldest version of ONNX's operators that has all that is used here.
OLDEST_OPSET = 15


def to_onnx(model: Any, *, target_opset: int | None = None) -> Any:
    """Convert a fitted classifier, or a pipeline that ends in one, to ONNX.

    Parameters
    ----------
    model : DCSVC, DCSVCCV, OneVsOneSVC, DAGSVC or Pipeline
        Fitted. The steps of a pipeline must be known to skl2onnx.
    target_opset : int, default=None
        Version of ONNX's operators, 15 or later. None takes the latest that skl2onnx knows.

    Returns
    -------
    onnx_model : onnx.ModelProto
        With the input `X`, a float32 tensor of shape (n, n_features_in_), and the output `label`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dcsvm import DCSVC
    >>> from dcsvm.onnx import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> converted = to_onnx(DCSVC().fit(X, y))
    >>> [output.name for output in converted.graph.output]
    ['label']
    """
    check_is_fitted(model)
    types = [("X", FloatTensorType([None, model.n_features_in_]))]
    return convert_sklearn(model, initial_types=types, target_opset=target_opset)


def register() -> None:
    """Let skl2onnx convert the classifiers of this package."""
    for cls, alias in CONVERTED.items():
        update_registered_converter(cls, alias, _set_shapes, _convert, parser=_parse)


def _parse(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> list[Any]:
    """Declare the only output, the label."""
    operator = scope.declare_local_operator(CONVERTED[type(model)], model)
    operator.inputs.extend(inputs)
    operator.outputs.append(scope.declare_local_variable("label", _label_type(model.classes_)()))
    return list(operator.outputs)


def _set_shapes(operator: Any) -> None:
    label_type = _label_type(operator.raw_operator.classes_)
    n_rows = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type = label_type([n_rows])


def _label_type(classes: NDArray[Any]) -> Any:
    if all(isinstance(label, str) for label in classes.tolist()):
        return StringTensorType
    types = {"i": Int64TensorType, "u": Int64TensorType, "b": BooleanTensorType}
    types["f"] = DoubleTensorType
    if classes.dtype.kind not in types:
        raise ValueError(
            f"Labels of type {classes.dtype} cannot be written as ONNX: use texts or numbers."
        )
    return types[classes.dtype.kind]


def _labels(classes: NDArray[Any]) -> NDArray[Any]:
    """The classes in a type of ONNX."""
    wider = {"i": np.int64, "u": np.int64, "f": np.float64}
    return classes.astype(wider.get(classes.dtype.kind, classes.dtype))


def _convert(scope: Any, operator: Any, container: Any) -> None:
    if container.target_opset < OLDEST_OPSET:
        raise ValueError(f"target_opset must be {OLDEST_OPSET} or later.")
    model = operator.raw_operator
    g = Graph(scope.get_unique_variable_name)
    parts = [g.cast(variable.full_name, DOUBLE) for variable in operator.inputs]
    X = parts[0] if len(parts) == 1 else g.add("Concat", *parts, axis=1)
    index = _add_classes(g, model, BatchValues(g, model.machines_, X))
    g.add("Gather", g.constant(_labels(model.classes_), "labels"), index)
    g.nodes[-1].output[0] = operator.outputs[0].full_name
    container.nodes.extend(g.nodes)
    container.initializers.extend(g.constants)
    container.node_domain_version_pair_sets.add(("", container.target_opset))


def _add_classes(g: Graph, model: Any, batch: BatchValues) -> str:
    if votes(model):
        return add_vote(g, batch)
    route = route_of(model)
    add = add_elimination if isinstance(route, Elimination) else add_path
    return add(g, route, batch)
