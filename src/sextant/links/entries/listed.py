"""What a tool of another server takes, as its schema lists it. Knows how names are spelt elsewhere.

Servers write one field as TopK, topK or top_k, and some want all of them inside one object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Node = Mapping[str, Any]
_DEEPEST = 8
"""References that lead on further than this lead nowhere."""


def folded(name: str) -> str:
    """Return a name as it is compared: whatever its case and its signs between words."""
    return name.replace("_", "").replace("-", "").replace(".", "").lower()


@dataclass(frozen=True, slots=True)
class Taken:
    """The fields that an object may have; None where it may have any."""

    names: Mapping[str, str] | None = None
    nodes: Mapping[str, Node] = field(default_factory=dict)

    def spelling(self, *names: str) -> str:
        """Return how the first of these is spelt that is taken, or nothing."""
        if self.names is None:
            return names[0]
        return next((self.names[one] for one in map(folded, names) if one in self.names), "")

    def is_list(self, name: str) -> bool:
        """Whether a field of this spelling takes a list."""
        return self.nodes.get(name, {}).get("type") == "array"


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool, by the name that its server has for it, and what it takes."""

    name: str
    schema: Node

    @property
    def taken(self) -> Taken:
        """The fields that it takes, inside its one object where it wants one."""
        inner = self._inner
        return self._fields(inner[1] if inner else self.schema)

    def inside(self, name: str) -> Taken:
        """Return the fields that one of its fields takes, by that one's spelling."""
        return self._fields(self._resolved(self.taken.nodes.get(name, {})))

    def wrapped(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments as the tool wants them: inside one object, or as they are."""
        inner = self._inner
        return {inner[0]: dict(arguments)} if inner else dict(arguments)

    @property
    def _inner(self) -> tuple[str, Node] | None:
        """The one object that holds everything, if it has one."""
        properties = self.schema.get("properties") or {}
        if len(properties) != 1:
            return None
        name, node = next(iter(properties.items()))
        node = self._resolved(node)
        return (name, node) if node.get("properties") else None

    def _fields(self, node: Node) -> Taken:
        properties = node.get("properties")
        if not properties:
            return Taken()
        nodes = {name: self._resolved(one) for name, one in properties.items()}
        return Taken({folded(name): name for name in properties}, nodes)

    def _resolved(self, node: Node) -> Node:
        """Return what a part stands for: behind references, and of choices the one that is most."""
        for _ in range(_DEEPEST):
            if "$ref" in node:
                node = self._referred(str(node["$ref"]))
            elif kinds := [one for one in node.get("anyOf", ()) if one.get("type") != "null"]:
                node = kinds[0]
            else:
                return node
        return {}

    def _referred(self, reference: str) -> Node:
        found: Any = self.schema
        for part in reference.removeprefix("#/").split("/"):
            found = found.get(part, {}) if isinstance(found, Mapping) else {}
        return found if isinstance(found, Mapping) else {}


def find_tool(listed: Mapping[str, Node], server: str, tool: str) -> ListedTool | None:
    """Return a tool of a server by its short name, with or without the server's in front."""
    wanted = (folded(f"{server}.{tool}"), folded(tool))
    for name, schema in listed.items():
        if folded(name) in wanted:
            return ListedTool(name, schema)
    return None


def first_of(entry: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the first of these fields that an object has, however it spells it; else None."""
    given = {folded(str(name)): own for name, own in entry.items() if own is not None}
    return next((given[one] for one in map(folded, names) if one in given), None)
