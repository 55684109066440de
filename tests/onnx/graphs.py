"""What tests of graphs need: to write a graph, and to run it."""

import itertools

import numpy as np
import onnxruntime

from dcsvm.onnx.graph import Graph
from onnx import helper


def new_graph():
    numbers = itertools.count()
    return Graph(lambda name: f"{name}_{next(numbers)}")


def run_graph(g, outputs, inputs):
    """The values of some tensors of a graph, given those of its inputs."""
    given = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), [None] * value.ndim
        )
        for name, value in inputs.items()
    ]
    asked = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph(g.nodes, "test", given, asked, g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(outputs, {name: np.asarray(value) for name, value in inputs.items()})
