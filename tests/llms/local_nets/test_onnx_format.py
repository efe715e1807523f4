from typing import Any

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from sextant.llms.local_nets.onnx_format import FLOAT, Graph, read_tensors

KINDS = arrays.array_shapes(min_dims=0, max_dims=3, max_side=4)
NUMBERS = arrays.arrays(np.float32, KINDS) | arrays.arrays(np.int64, KINDS)
BYTES = arrays.arrays(np.int8, KINDS) | arrays.arrays(np.uint8, KINDS)


def run(graph: Graph, **inputs: NDArray[Any]) -> list[NDArray[Any]]:
    outputs: list[NDArray[Any]] = onnxruntime.InferenceSession(graph.to_bytes()).run(None, inputs)
    return outputs


@given(NUMBERS | BYTES)
def test_constant_is_read_back_as_it_was_written(array: NDArray[Any]) -> None:
    graph = Graph("constants")
    name = graph.constant(array)
    (read,) = read_tensors(graph.to_bytes()).items()
    assert read[0] == name
    assert (read[1].dtype, read[1].shape) == (array.dtype, array.shape)
    assert read[1].tobytes() == array.tobytes()


def test_graph_runs_as_written() -> None:
    graph = Graph("sums")
    rows = graph.input("rows", FLOAT, ["count", 2])
    doubled = graph.call("Mul", rows, graph.constant(np.array([2, 4], np.float32)))
    graph.output(graph.call("ReduceSum", doubled, keepdims=0), FLOAT, [])
    (total,) = run(graph, rows=np.array([[1, 1], [10, 100]], np.float32))
    assert total == 2 + 4 + 20 + 400


def test_node_with_several_results_and_every_kind_of_attribute() -> None:
    graph = Graph("parts")
    rows = graph.input("rows", FLOAT, [1, 4])
    first, second = graph.call_many(2, "Split", rows, axis=-1, num_outputs=2)
    turned = graph.call("Transpose", second, perm=[1, 0])
    graph.output(graph.call("LeakyRelu", first, alpha=0.5), FLOAT, [1, 2])
    graph.output(turned, FLOAT, [2, 1])
    left, right = run(graph, rows=np.array([[-2, 1, 3, 4]], np.float32))
    assert left.tolist() == [[-1, 1]]
    assert right.tolist() == [[3], [4]]


def test_operator_of_another_domain_is_found() -> None:
    graph = Graph("gelu")
    rows = graph.input("rows", FLOAT, [1])
    graph.output(graph.call("com.microsoft.FastGelu", rows), FLOAT, [1])
    (bent,) = run(graph, rows=np.array([1], np.float32))
    assert bent == pytest.approx([0.8412], abs=1e-3)
