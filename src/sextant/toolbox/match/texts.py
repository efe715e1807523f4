"""The texts of a tool by which it is found: name, description, parameters, and where it is from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from sextant.types import Tool

FIELDS = ("name", "description", "parameters", "origin")
NAME = FIELDS.index("name")
_SEPARATORS = re.compile(r"[_\-/.:]+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MOST_PARAMETERS = 200  # a schema of 1 MB has thousands; a tool is not found by its last ones
_DEEPEST = 3  # parameters of parameters of parameters
_EMBEDDED = 1_200  # characters; an encoder of 256 word pieces reads no more
_LONGEST = 20_000  # characters of a description whose words count


def split_identifier(name: str) -> str:
    """Return an identifier as the words that it is made of."""
    return " ".join(_SEPARATORS.sub(" ", _HUMPS.sub(" ", name)).split())


def name_text(tool: Tool) -> str:
    """Return the name of a tool in words."""
    return split_identifier(tool.name or tool.id)


def whole_text(tool: Tool) -> str:
    """Return what a tool is, where it is from and what it does, to be embedded."""
    origin = f"{split_identifier(tool.server)}: " if tool.server else ""
    return f"{origin}{name_text(tool)}. {tool.description}"[:_EMBEDDED]


def field_texts(tool: Tool) -> tuple[str, str, str, str]:
    """Return the texts of a tool, in the order of FIELDS."""
    parameters = " ".join(map(split_identifier, parameter_names(tool.schema)))
    origin = f"{split_identifier(tool.server)} {split_identifier(tool.category)}"
    return name_text(tool), tool.description[:_LONGEST], parameters, origin


def parameter_names(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of the first parameters of a tool, those within others behind their own."""
    return list(islice(_names(schema, _DEEPEST), _MOST_PARAMETERS))


def _names(schema: object, depth: int) -> Iterator[str]:
    if depth == 0 or not isinstance(schema, Mapping):
        return
    properties = schema.get("properties")
    for name, own in properties.items() if isinstance(properties, Mapping) else ():
        yield str(name)
        yield from _names(own, depth - 1)
    yield from _names(schema.get("items"), depth - 1)
