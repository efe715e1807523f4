"""Nets of two layers with weights that were drawn, and what they say, in plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sextant.llms.bge_small.layer_parts import WIDTH

LAYERS, WORDS, PLACES = 2, 50, 512
POINTS = {"read": 4.0, "seen": 2.0, "looked": 4.0, "bent": 5.0}
Floats = NDArray[Any]
Arrays = Mapping[str, Floats]
_RANDOM = np.random.default_rng(0)
_erf = np.vectorize(math.erf)


def bge() -> Arrays:
    """Return all of a net like bge-small."""
    table: dict[str, Any] = {
        "words.steps": _RANDOM.integers(0, 256, (WORDS, WIDTH), np.uint8),
        "words.scale": np.float32(0.01),
        "words.middle": np.uint8(120),
    }
    return table | _begun() | _layers(query=WIDTH, inner=4 * WIDTH)


def reader() -> Arrays:
    """Return all of a net like the reader, and what is done with its vectors."""
    net = _begun() | _layers(query=WIDTH // 2, inner=2 * WIDTH)
    for name in [name for name in net if name.endswith("widen.bias")]:
        del net[name]
    for number in range(LAYERS):
        for point, largest in POINTS.items():
            net[f"layer.{number}.{point}.largest"] = np.asarray(largest, np.float32)
    turns = {name: _drawn(WIDTH) for name in ("passages", "questions")}
    return net | turns | {"pieces": _drawn(WIDTH, WIDTH).astype(np.float16)}


def rows_of(table: Arrays, net: Arrays, ids: list[int], heads: int, *, bend: str) -> Floats:
    """Return what a net says in full precision."""
    words = table["words.steps"].astype(np.float64) - table["words.middle"]
    rows = words[ids] * table["words.scale"] + net["places"][: len(ids)]
    rows = _normalised(net, "norm", rows)
    for layer in (f"layer.{number}" for number in range(LAYERS)):
        query, key, value = (
            _product(net, f"{layer}.{role}", rows).reshape(len(ids), heads, -1).transpose(1, 0, 2)
            for role in ("query", "key", "value")
        )
        alike = np.exp(query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1]))
        seen = (alike / alike.sum(-1, keepdims=True)) @ value
        flat = seen.transpose(1, 0, 2).reshape(len(ids), WIDTH)
        rows = _normalised(net, f"{layer}.looked", rows + _product(net, f"{layer}.output", flat))
        wide = _product(net, f"{layer}.widen", rows)
        bent = np.maximum(wide, 0) if bend == "relu" else wide * (1 + _erf(wide / np.sqrt(2))) / 2
        rows = _normalised(net, f"{layer}.bent", rows + _product(net, f"{layer}.narrow", bent))
    return rows


def cosines(some: Floats, others: Floats) -> Floats:
    """Return how alike the rows of both are."""
    lengths = np.linalg.norm(some, axis=-1) * np.linalg.norm(others, axis=-1)
    alike: Floats = (some * others).sum(-1) / lengths
    return alike


def _product(net: Arrays, role: str, rows: Floats) -> Floats:
    whole = net[f"{role}.steps"].astype(np.float64) * net[f"{role}.scales"]
    product: Floats = rows @ whole + net.get(f"{role}.bias", 0)
    return product


def _normalised(net: Arrays, role: str, rows: Floats) -> Floats:
    apart = rows - rows.mean(-1, keepdims=True)
    unit: Floats = apart / np.sqrt((apart**2).mean(-1, keepdims=True) + 1e-12)
    return unit * net[f"{role}.weight"] + net[f"{role}.bias"]


def _begun() -> dict[str, Floats]:
    return {"places": _drawn(PLACES, WIDTH)} | _norm("norm")


def _layers(query: int, inner: int) -> dict[str, Floats]:
    shapes = {
        "query": (WIDTH, query),
        "key": (WIDTH, query),
        "value": (WIDTH, WIDTH),
        "output": (WIDTH, WIDTH),
        "widen": (WIDTH, inner),
        "narrow": (inner, WIDTH),
    }
    net: dict[str, Floats] = {}
    for layer in (f"layer.{number}" for number in range(LAYERS)):
        for role, shape in shapes.items():
            net |= _matrix(f"{layer}.{role}", *shape)
        net |= _norm(f"{layer}.looked") | _norm(f"{layer}.bent")
    return net


def _matrix(role: str, inner: int, outer: int) -> dict[str, Floats]:
    steps = _RANDOM.integers(-64, 65, (inner, outer), np.int8)
    scales = _RANDOM.uniform(0.5, 1.5, outer) / 40 / np.sqrt(inner)
    return {
        f"{role}.steps": steps,
        f"{role}.scales": scales.astype(np.float32),
        f"{role}.bias": _drawn(outer),
    }


def _norm(role: str) -> dict[str, Floats]:
    return {f"{role}.weight": 1 + _drawn(WIDTH), f"{role}.bias": _drawn(WIDTH)}


def _drawn(*shape: int) -> Floats:
    return _RANDOM.normal(0, 0.1, shape).astype(np.float32)
