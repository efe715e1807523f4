"""Doors by their names: ours, and those of other packages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sextant.build.adapters import DOORS, adapter_group, missing_extra, opener_of
from sextant.entrypoints import registered
from sextant.errors import UnknownScheme


def find_door(name: str) -> Callable[..., Any]:
    """Return what opens a door, which takes the house; only the module of that door is imported."""
    wrong = wrong_doors(name)
    if wrong:
        raise wrong
    try:
        return opener_of("door", name)
    except ImportError as error:
        raise missing_extra(name, error) from error


def wrong_doors(names: str) -> UnknownScheme | None:
    """Return which of some names is not a door's; whether it can be opened is not asked."""
    unknown = unknown_doors(names)
    if not unknown:
        return None
    known = sorted({*DOORS, *registered(adapter_group("door"))})
    return UnknownScheme(
        f"The setting serve.doors names {unknown[0]!r}, which is not a door.",
        f"Known: {', '.join(known)}.",
    )


def unknown_doors(names: str) -> list[str]:
    """Return those of some names that are no door's, as they were written."""
    chosen = [name for one in names.split(",") if (name := one.strip())]
    if DOORS.keys() >= {*chosen}:
        return []
    return [
        name
        for name in chosen
        if name not in DOORS and name not in registered(adapter_group("door"))
    ]
