"""What columns hold, as values: whoever altered a row past the store is found out here.

SQLite keeps any type in any column, so that a value of another type would go out as it is. Whoever
reads turns the TypeErrors of this file into the store's own error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_decoded = json.JSONDecoder().raw_decode


def check_texts(*values: Any) -> None:
    """Refuse what was written as text and is none."""
    for value in values:
        if type(value) is not str:
            raise TypeError(f"A column holds a {type(value).__name__} in place of a text.")


def check_numbers(*values: Any) -> None:
    """Refuse what was written as a number and is none; nothing is fine where there may be none."""
    for value in values:
        if value is not None and type(value) is not int and type(value) is not float:
            raise TypeError(f"A column holds a {type(value).__name__} in place of a number.")


@lru_cache(8_192)
def texts_in(text: str) -> tuple[str, ...]:
    """Return a list of texts."""
    return texts_once(text)


@lru_cache(8_192)
def text_set_in(text: str) -> frozenset[str]:
    """Return a set of texts."""
    return frozenset(texts_once(text))


def texts_once(text: str) -> tuple[str, ...]:
    """Return a list of texts that is hardly ever the same twice, and so not remembered."""
    found = _decoded(text)[0]
    if type(found) is not list:
        raise TypeError("A column holds no list.")
    check_texts(*found)
    return tuple(found)


def fields_in(text: str) -> Mapping[str, str]:
    """Return names with their texts."""
    if text == "{}":
        return {}
    found = json.loads(text)
    if type(found) is not dict:
        raise TypeError("A column holds no object.")
    check_texts(*found.values())
    return found
