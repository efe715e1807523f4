"""Reading tensors from ONNX files and writing ONNX graphs. Knows the format, no model.

The few messages that are needed are declared here for protobuf, which ONNX Runtime brings along;
the package that declares all of them would be half as large as the runtime itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from google.protobuf import (  # type: ignore[import-untyped]
    descriptor_pb2,
    descriptor_pool,
    message_factory,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

IR_VERSION = 8
OPSETS = {"": 18, "com.microsoft": 1}
FLOAT, UNSIGNED_BYTE, BYTE, INT64 = 1, 2, 3, 7
_DTYPES = {FLOAT: "<f4", UNSIGNED_BYTE: "|u1", BYTE: "|i1", INT64: "<i8", 9: "|b1"}
_TYPE_NUMBERS = {np.dtype(dtype): number for number, dtype in _DTYPES.items()}
_INT, _FLOAT, _INTS = 2, 1, 7

# The name of each field, its number and its kind; [] means that it is repeated.
_MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "Model": {"ir_version": (1, "int64"), "graph": (7, "Graph"), "opset_import": (8, "Opset[]")},
    "Opset": {"domain": (1, "string"), "version": (2, "int64")},
    "Graph": {
        "node": (1, "Node[]"),
        "name": (2, "string"),
        "initializer": (5, "Tensor[]"),
        "input": (11, "Value[]"),
        "output": (12, "Value[]"),
    },
    "Node": {
        "input": (1, "string[]"),
        "output": (2, "string[]"),
        "op_type": (4, "string"),
        "attribute": (5, "Attribute[]"),
        "domain": (7, "string"),
    },
    "Attribute": {
        "name": (1, "string"),
        "f": (2, "float"),
        "i": (3, "int64"),
        "ints": (8, "int64[]"),
        "type": (20, "int32"),
    },
    "Tensor": {
        "dims": (1, "int64[]"),
        "data_type": (2, "int32"),
        "name": (8, "string"),
        "raw_data": (9, "bytes"),
    },
    "Value": {"name": (1, "string"), "type": (2, "Type")},
    "Type": {"tensor_type": (1, "TensorType")},
    "TensorType": {"elem_type": (1, "int32"), "shape": (2, "Shape")},
    "Shape": {"dim": (1, "Dimension[]")},
    "Dimension": {"dim_value": (1, "int64"), "dim_param": (2, "string")},
}


def read_tensors(model: bytes) -> dict[str, NDArray[Any]]:
    """Return the constants of a model under their names, in the order of the file."""
    return {one.name: _array(one) for one in _Model.FromString(model).graph.initializer}


class Graph:
    """A graph that is being written; values are known by the names that these methods return."""

    def __init__(self, name: str) -> None:
        opsets = [{"domain": domain, "version": version} for domain, version in OPSETS.items()]
        self._model = _Model(ir_version=IR_VERSION, opset_import=opsets, graph={"name": name})
        self._values = 0

    def input(self, name: str, kind: int, shape: Sequence[int | str]) -> str:
        """Declare what is passed in; a length that varies has a name."""
        self._model.graph.input.append(_value(name, kind, shape))
        return name

    def output(self, value: str, kind: int, shape: Sequence[int | str]) -> None:
        """Declare what is given back."""
        self._model.graph.output.append(_value(value, kind, shape))

    def constant(self, array: NDArray[Any] | np.generic) -> str:
        """Add a constant."""
        name = self._new_name()
        self._model.graph.initializer.add(
            name=name,
            dims=array.shape,
            data_type=_TYPE_NUMBERS[array.dtype],
            raw_data=array.tobytes(),
        )
        return name

    def call(self, operator: str, *inputs: str, **attributes: float | Sequence[int]) -> str:
        """Add a node with one result; an operator outside the standard has its domain before it."""
        return self.call_many(1, operator, *inputs, **attributes)[0]

    def call_many(
        self, results: int, operator: str, *inputs: str, **attributes: float | Sequence[int]
    ) -> list[str]:
        """Add a node with several results."""
        domain, _, kind = operator.rpartition(".")
        outputs = [self._new_name() for _ in range(results)]
        given = [_attribute(name, value) for name, value in attributes.items()]
        self._model.graph.node.add(
            domain=domain, op_type=kind, input=inputs, output=outputs, attribute=given
        )
        return outputs

    def to_bytes(self) -> bytes:
        """Return the file."""
        data: bytes = self._model.SerializeToString(deterministic=True)
        return data

    def _new_name(self) -> str:
        self._values += 1
        return f"v{self._values}"


def _attribute(name: str, value: float | Sequence[int]) -> dict[str, object]:
    if isinstance(value, int):
        return {"name": name, "type": _INT, "i": value}
    if isinstance(value, float):
        return {"name": name, "type": _FLOAT, "f": value}
    return {"name": name, "type": _INTS, "ints": value}


def _value(name: str, kind: int, shape: Sequence[int | str]) -> Any:
    sizes = [{"dim_param" if isinstance(one, str) else "dim_value": one} for one in shape]
    return _Value(name=name, type={"tensor_type": {"elem_type": kind, "shape": {"dim": sizes}}})


def _array(tensor: Any) -> NDArray[Any]:
    return np.frombuffer(tensor.raw_data, _DTYPES[tensor.data_type]).reshape(tuple(tensor.dims))


def _declare() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="sextant/onnx.proto", package="onnx")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            message.field.add(name=field, number=number, **_field_type(kind))
    # A pool of its own: the full declarations may live in the same process.
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


def _field_type(kind: str) -> dict[str, Any]:
    field = descriptor_pb2.FieldDescriptorProto
    plain = kind.removesuffix("[]")
    label = field.LABEL_OPTIONAL if plain == kind else field.LABEL_REPEATED
    if plain in _MESSAGES:
        return {"label": label, "type": field.TYPE_MESSAGE, "type_name": f".onnx.{plain}"}
    return {"label": label, "type": field.Type.Value(f"TYPE_{plain.upper()}")}


_POOL = _declare()
_Model, _Value = (
    message_factory.GetMessageClass(_POOL.FindMessageTypeByName(f"onnx.{name}"))
    for name in ("Model", "Value")
)
