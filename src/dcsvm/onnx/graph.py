"""`Graph`: an ONNX graph that is written operation by operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import onnx
from onnx import helper, numpy_helper

# Types of tensors.
BOOL, INT64 = onnx.TensorProto.BOOL, onnx.TensorProto.INT64
FLOAT, DOUBLE = onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE


class Graph:
    """Nodes and constants under unique names.

    Parameters
    ----------
    unique_name : callable
        Makes a name of its argument that no other graph of the model has.
    """

    def __init__(self, unique_name: Callable[[str], str]) -> None:
        self.unique_name = unique_name
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._scalars: dict[tuple[str, bytes], str] = {}

    def constant(self, values: Any, name: str = "constant") -> str:
        """A tensor that is part of the model; equal numbers are there once."""
        array = np.asarray(values)
        key = array.dtype.str, array.tobytes()
        if array.ndim == 0 and key in self._scalars:
            return self._scalars[key]
        tensor_name = self.unique_name(name)
        self.constants.append(_tensor(array, tensor_name))
        if array.ndim == 0:
            self._scalars[key] = tensor_name
        return tensor_name

    def int64(self, *numbers: int) -> str:
        """Whole numbers as a vector: axes, shapes, sizes."""
        return self.constant(np.array(numbers, dtype=np.int64))

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Apply an operator with one output."""
        return self.add_many(operator, 1, *inputs, **attributes)[0]

    def add_many(self, operator: str, n_outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        """Apply an operator with several outputs."""
        outputs = [self.unique_name(operator.lower()) for _ in range(n_outputs)]
        name = self.unique_name(f"N_{operator}")
        node = helper.make_node(operator, inputs, outputs, name=name, **attributes)
        self.nodes.append(node)
        return outputs

    def cast(self, tensor: str, to: int) -> str:
        """The same numbers as another type."""
        return self.add("Cast", tensor, to=to)

    def all_of(self, *conditions: str) -> str:
        """Where all conditions hold."""
        result = conditions[0]
        for condition in conditions[1:]:
            result = self.add("And", result, condition)
        return result

    def without(self, a: str, b: str) -> str:
        """Where a holds and b does not."""
        return self.add("And", a, self.add("Not", b))

    def count(self, condition: str) -> str:
        """In how many columns of each row a condition holds, shape (n, 1)."""
        return self.add("ReduceSum", self.cast(condition, FLOAT), self.int64(1), keepdims=1)

    def highest(self, tensor: str) -> str:
        """The first column of each row with the highest number, shape (n, 1)."""
        return self.add("ArgMax", tensor, axis=1, keepdims=1)

    def any(self, condition: str) -> str:
        """Whether a condition holds anywhere: one truth value."""
        total = self.add("ReduceSum", self.cast(condition, FLOAT), keepdims=0)
        return self.add("Greater", total, self.constant(np.float32(0)))

    def flat(self, tensor: str) -> str:
        """All numbers in one axis."""
        return self.add("Reshape", tensor, self.int64(-1))

    def repeat(
        self,
        state: Sequence[str],
        types: Sequence[int],
        step: Callable[[Graph, list[str]], tuple[list[str], str]],
        goes_on: str,
        most: int,
    ) -> list[str]:
        """Take a step again and again, at most so many times, while `goes_on` holds.

        `step` writes one step into the graph that it is given. It returns the new state and
        whether a further step is to be taken. It may use all tensors made before, provided that
        the first state depends on them: nodes are sorted by the inputs that they name.
        """
        body = Graph(self.unique_name)
        names = [self.unique_name("state") for _ in state]
        new, condition = step(body, names)
        number, was_going_on = self.unique_name("number"), self.unique_name("goes_on")
        inputs = [
            helper.make_tensor_value_info(number, INT64, []),
            helper.make_tensor_value_info(was_going_on, BOOL, []),
            *_of_any_shape(names, types),
        ]
        outputs = [
            helper.make_tensor_value_info(condition, BOOL, []),
            *_of_any_shape(new, types),
        ]
        graph = helper.make_graph(body.nodes, "round", inputs, outputs, body.constants)
        trips = self.constant(np.int64(most))
        return self.add_many("Loop", len(state), trips, goes_on, *state, body=graph)


def _of_any_shape(names: Sequence[str], types: Sequence[int]) -> list[onnx.ValueInfoProto]:
    return [
        helper.make_tensor_value_info(name, kind, None)
        for name, kind in zip(names, types, strict=True)
    ]


def _tensor(array: NDArray[Any], name: str) -> onnx.TensorProto:
    if array.dtype.kind in "UO":
        texts = [text.encode() for text in array.ravel().tolist()]
        return helper.make_tensor(name, onnx.TensorProto.STRING, array.shape, texts)
    return numpy_helper.from_array(np.asarray(array, order="C"), name)
