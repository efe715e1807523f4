"""Names of tools that every model and client takes, made of their ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

_LONGEST_NAME = 64
"""Clients of the large models take no longer name, and no other letters."""
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]")


def portable_names(tool_ids: Iterable[str]) -> dict[str, str]:
    """Return ids in the letters that all clients take; no two of them become the same name."""
    names = {one: _NO_NAME.sub("_", one) for one in tool_ids}
    counted = Counter(names.values())
    return {
        one: name if counted[name] == 1 and len(name) <= _LONGEST_NAME else _marked(one, name)
        for one, name in names.items()
    }


def _marked(tool_id: str, name: str) -> str:
    return f"{name[: _LONGEST_NAME - 9]}_{sha256(tool_id.encode()).hexdigest()[:8]}"
