"""Running a graph on ONNX Runtime, in the one thread that asks. Knows no model."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sextant.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from onnxruntime import InferenceSession


_NO_TELEMETRY = "ORT_DISABLE_TELEMETRY"
"""Without it ONNX Runtime writes an id of the machine into the cache and tells its makers of it."""


def started(model: bytes) -> InferenceSession:
    """Make a graph ready to run."""
    # It is read when the module is loaded.
    os.environ[_NO_TELEMETRY] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # More would turn parts of the graph back into what they were before they were made fast.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # A plan of the memory would be kept for every length of passage, and saves no time.
    options.enable_mem_pattern = False
    with typed_errors():
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@contextmanager
def typed_errors() -> Iterator[None]:
    """Tell as an error of the embedder whatever ONNX Runtime raises."""
    try:
        yield
    except Exception as error:
        raise EmbedderError(
            f"ONNX Runtime cannot run the model: {type(error).__name__}.",
            "Reinstall it: pip install --force-reinstall onnxruntime",
        ) from error
