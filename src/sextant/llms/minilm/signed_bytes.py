"""Whether this processor multiplies signed weights exactly. Knows ONNX Runtime, no model.

Where there are instructions for them, signed weights halve the time of a passage: 24 instead of 47
CPU ms on a Xeon with VNNI. On x86 processors without VNNI their products overflow.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np

from sextant.llms.local_nets.derived_model import kept_or_derived
from sextant.llms.local_nets.onnx_running import started

_INNER = 384
_MOST, _LEAST = 255, -127
_ROWS = (1, 16)
"""One row is multiplied by other code than several are."""

_RECIPE = "signed_bytes.py"
"""The file by which the product becomes a graph."""


@cache
def are_exact() -> bool:
    """Say whether the largest bytes have the product that they should."""
    made_of = [(files(__package__) / _RECIPE).read_bytes()]
    session = started(kept_or_derived("minilm-product", made_of, _product_graph))
    expected = float(_MOST * _LEAST * _INNER)
    rows = (np.full((count, _INNER), _MOST, np.uint8) for count in _ROWS)
    return all((session.run(None, {"rows": own})[0] == expected).all() for own in rows)


def _product_graph() -> bytes:
    from sextant.llms.local_nets.onnx_format import FLOAT, UNSIGNED_BYTE, Graph

    graph = Graph("product")
    rows = graph.input("rows", UNSIGNED_BYTE, ["count", _INNER])
    one = graph.constant(np.float32(1))
    weights = graph.constant(np.full((_INNER, _INNER), _LEAST, np.int8))
    product = graph.call("com.microsoft.MatMulIntegerToFloat", rows, weights, one, one)
    graph.output(product, FLOAT, ["count", _INNER])
    return graph.to_bytes()
