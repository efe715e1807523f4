"""One tool, category or relation out of a list, in any spelling that is known. Knows no file.

What is wrong with one is said in half a sentence; whoever knows where it stands says the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sextant.errors import InvalidInput
from sextant.limits import check_name
from sextant.toolbox.catalogue.schemas import checked_parameters, checked_schema, without_surrogates
from sextant.types import BELONGS_TO, Category, LinkOrigin, Tool, ToolLink, ToolRelation

_SCHEMAS = ("schema", "inputSchema", "input_schema", "parameters")
_RETURNS = ("returns", "outputSchema", "output_schema")
_NAME = 200
"""Characters of a name: MCP recommends 128 at most, OpenAI takes 64."""
_STRANGE = re.compile(r"[\s\x00-\x1f\x7f]+")
_KNOWN_ORIGINS = (LinkOrigin.DECLARED, LinkOrigin.IMPORTED)


@dataclass(frozen=True, slots=True)
class Naming:
    """Where entries come from: the source, and what its tools are called after."""

    source: str
    server: str = ""

    def id_of(self, name: str) -> str:
        """Return the id of a tool that its source knows by this name only."""
        return f"{self.server or self.source}.{name}"


def is_relation(entry: Mapping[str, Any]) -> bool:
    """Whether an entry joins two others."""
    return ("source" in entry or "from" in entry) and ("target" in entry or "to" in entry)


def is_category(entry: Mapping[str, Any]) -> bool:
    """Whether an entry of a mixed list is a category: it says so, or has no tool's name or id."""
    marks = (entry.get("type"), entry.get("label"), *_listed(entry.get("labels")))
    return "Category" in marks or ("category" in entry and not entry.keys() & {"id", "name"})


def tool_of(entry: Any, naming: Naming) -> Tool:
    """Return the tool that an entry describes: ours, MCP's, OpenAI's or Anthropic's spelling."""
    if not isinstance(entry, Mapping):
        raise InvalidInput(f"it is a {type(entry).__name__}, not an object", "Correct it there.")
    given = _flat(entry)
    function = given.get("function")
    if isinstance(function, Mapping):
        given = function
    name = _text(given, "name")
    if not given.get("id") and not name:
        raise InvalidInput("it has neither an id nor a name", "Give it one.")
    tool_id = _text(given, "id") or naming.id_of(_STRANGE.sub("_", name))
    check_name("tool id", tool_id)
    if len(name) > _NAME:
        raise InvalidInput(f"its name has more than {_NAME} characters", "Shorten it.")
    return Tool(
        tool_id,
        name or tool_id,
        _text(given, "category"),
        _description(given),
        checked_parameters(_first(given, _SCHEMAS)),
        _returned(given),
        _text(given, "server") or naming.server,
        naming.source,
        frozenset(_names(given, "personas")),
        tuple(_names(given, "entityIds", "entity_ids")),
        usage=_count(given, "usageCount", "usage") or 0,
    )


def _returned(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a tool gives back; a schema that is none costs only what is inferred from it."""
    found = _first(given, _RETURNS)
    return checked_schema(found) if found else {}


def category_of(entry: Any) -> Category:
    """Return the category that an entry describes; a text alone is its name."""
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, Mapping):
        raise InvalidInput(f"it is a {type(entry).__name__}, not an object", "Correct it there.")
    given = _flat(entry)
    name = _text(given, "name") or _text(given, "category") or _text(given, "id")
    check_name("category", name)
    return Category(name, _text(given, "description"))


def membership_of(entry: Any) -> tuple[str, str] | None:
    """Return the tool and the category that an entry of a list of relations joins, if it does."""
    if not isinstance(entry, Mapping):
        return None
    given = _flat(entry)
    if _text(given, "kind", "type", "relation") != BELONGS_TO:
        return None
    return _text(given, "source", "from"), _text(given, "target", "to")


def relation_of(entry: Any) -> ToolRelation:
    """Return the relation that an entry describes, in our spelling or that of graph databases."""
    if not isinstance(entry, Mapping):
        raise InvalidInput(f"it is a {type(entry).__name__}, not an object", "Correct it there.")
    given = _flat(entry)
    source, target = _text(given, "source", "from"), _text(given, "target", "to")
    check_name("source of a relation", source)
    check_name("target of a relation", target)
    if source == target:
        raise InvalidInput("it joins a tool to itself", "Name two tools.")
    required = given.get("required", True)
    if not isinstance(required, bool):
        raise InvalidInput("its required is neither true nor false", "Correct it there.")
    return ToolRelation(
        source,
        target,
        _kind(_text(given, "kind", "type", "relation")),
        _confidence(given),
        _count(given, "coOccurrences", "co_occurrences"),
        required,
        _text(given, "reason"),
        _number(given, "avgTimeBetween", "secondsBetween", "seconds_between"),
        _text(given, "version"),
        _moment(given, "deprecatedAt", "deprecated_at"),
        _origin(_text(given, "origin")),
    )


def _flat(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry with its properties beside its id, as graph databases export them inside."""
    inner = entry.get("properties")
    is_graph = isinstance(inner, Mapping) and not entry.keys() & {*_SCHEMAS, "$schema"}
    return {**entry, **inner} if is_graph and isinstance(inner, Mapping) else entry


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((given[name] for name in names if given.get(name) is not None), {})


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(given: Mapping[str, Any], *names: str) -> str:
    for name in names:
        value = given.get(name)
        if isinstance(value, str):
            return without_surrogates(value).strip()
        if value is not None:
            raise InvalidInput(f"its {name} is a {type(value).__name__}, not text", "Correct it.")
    return ""


def _description(given: Mapping[str, Any]) -> str:
    annotations = given.get("annotations")
    title = _text(given, "title")
    if not title and isinstance(annotations, Mapping):
        title = _text(annotations, "title")
    return _text(given, "description") or title


def _names(given: Mapping[str, Any], *names: str) -> list[str]:
    for name in names:
        value = given.get(name)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return [without_surrogates(one) for one in value]
        if value is not None:
            raise InvalidInput(f"its {name} are no list of texts", "Correct it there.")
    return []


def _number(given: Mapping[str, Any], *names: str) -> float | None:
    for name in names:
        value = given.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and value is not None and 0 <= value < float("inf"):
            return float(value)
        if value is not None:
            raise InvalidInput(f"its {name} is no number from 0 on", "Correct it there.")
    return None


def _count(given: Mapping[str, Any], *names: str) -> int | None:
    number = _number(given, *names)
    if number is not None and (not number.is_integer() or number > 2**53):
        raise InvalidInput(f"its {names[0]} is no whole number", "Correct it there.")
    return None if number is None else int(number)


def _confidence(given: Mapping[str, Any]) -> float | None:
    value = _number(given, "confidence")
    if value is not None and value > 1:
        raise InvalidInput("its confidence is above 1", "Write one from 0 to 1.")
    return value


def _moment(given: Mapping[str, Any], *names: str) -> datetime | None:
    """Return a time; one without an offset is taken for UTC, as the seed writes dates only."""
    for name in names:
        value = given.get(name)
        if value is None:
            continue
        try:
            moment = datetime.fromisoformat(str(value))
        except ValueError:
            raise InvalidInput(f"its {name} is not a time", "Write one as 2024-01-01.") from None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _kind(name: str) -> ToolLink:
    try:
        return ToolLink(name.upper())
    except ValueError:
        known = ", ".join([*ToolLink, BELONGS_TO])
        raise InvalidInput(f"it is of the unknown kind {name[:40]!r}", f"Use {known}.") from None


def _origin(name: str) -> LinkOrigin:
    if not name:
        return LinkOrigin.DECLARED
    if name not in _KNOWN_ORIGINS:
        raise InvalidInput(
            f"its origin is {name[:40]!r}", "Declare it, or record the uses that it is learnt from."
        )
    return LinkOrigin(name)
