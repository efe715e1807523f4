"""Shapes that stop at the first wrong value of a list: of a million of them, one is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema

_MANY = frozenset({"list", "tuple", "set", "frozenset", "dict"})
_NO_SCHEMA = frozenset({"metadata", "serialization", "default"})


def _parts(value: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and all schemas in it; fields stand by names of their own in between."""
    if isinstance(value, list):
        within = value
    elif not isinstance(value, dict):
        return
    elif isinstance(value.get("type"), str):
        yield value
        within = [one for name, one in value.items() if name not in _NO_SCHEMA]
    else:
        within = list(value.values())
    for one in within:
        yield from _parts(one)


class Stopping(BaseModel):
    """A shape that is refused at once, however much of what comes is wrong."""

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Let every list within stop where it is wrong; as usual, all that is would be gathered."""
        schema = handler(source)
        many = [one for one in _parts(handler.resolve_ref_schema(schema)) if one["type"] in _MANY]
        for part in many:
            part["fail_fast"] = True
        return schema
