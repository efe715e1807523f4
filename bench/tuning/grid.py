"""Which settings are tried: one number changed at a time, and all of them drawn anew."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from sextant.retrieval.tuning import SHIPPED, Tuning

_NEAR: dict[str, tuple[Any, ...]] = {
    "nearness": (0.6, 0.8),
    "steepness": (5.0, 9.0),
    "floor": (1e-4, 1e-3),
    "pull_steepness": (12.0, 30.0),
    "by_likeness": (0.05, 0.2),
    "by_evidence": (0.0, 0.1),
    "rounds": (2, 4),
    "further": (0.3, 0.7),
    "about": (0.8, 0.95),
    "untold": (0.15, 0.6),
    "depth": (40, 80),
    "seeds": (10, 30),
    "named": (10, 40),
}
_WIDE: dict[str, tuple[Any, ...]] = {
    "nearness": (0.3, 0.5, 0.6, 0.7, 0.8, 0.9),
    "steepness": (3.0, 5.0, 7.0, 9.0, 12.0),
    "floor": (3e-5, 1e-4, 3e-4, 1e-3, 3e-3),
    "pull_steepness": (5.0, 10.0, 20.0, 30.0, 40.0),
    "by_likeness": (0.05, 0.1, 0.2, 0.3, 0.5),
    "by_evidence": (0.0, 0.05, 0.1),
    "rounds": (2, 3, 4),
    "further": (0.3, 0.5, 0.7),
    "about": (0.7, 0.8, 0.9, 0.95),
    "untold": (0.1, 0.3, 0.6, 1.0),
    "seeds": (10, 20, 30),
}
_SEED = 4


def near() -> dict[str, Tuning]:
    """Return what is shipped, first, and what differs from it in one number."""
    return {"as shipped": SHIPPED} | {
        f"{name} {value}": _with({name: value})
        for name, values in _NEAR.items()
        for value in values
    }


def drawn(count: int) -> dict[str, Tuning]:
    """Return settings drawn at random, always the same ones; none knows what is shipped."""
    dice = random.Random(_SEED)
    lots = [{name: dice.choice(values) for name, values in _WIDE.items()} for _ in range(count)]
    return {f"drawn {at}": _with(lot) for at, lot in enumerate(lots, 1)}


def changes(tuning: Tuning) -> str:
    """Return in which numbers a setting differs from what is shipped."""
    pairs = ((name, getattr(tuning, name), getattr(SHIPPED, name)) for name in Tuning.__slots__)
    return ", ".join(f"{name} {own}" for name, own, usual in pairs if own != usual) or "as shipped"


def _with(values: dict[str, Any]) -> Tuning:
    """Return a setting; what does not start at the passages most alike starts at the names."""
    if "by_likeness" in values:
        values = {**values, "by_names": round(1.0 - values["by_likeness"], 9)}
    return replace(SHIPPED, **values)
