"""Links of an API description: what an answer says can be called next. Knows no schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from sextant.toolbox.catalogue.formats.operations import Operation
from sextant.toolbox.catalogue.schemas import without_surrogates
from sextant.types import LinkOrigin, Tool, ToolLink, ToolRelation

LINK_CONFIDENCE = 0.8
"""The author of the API says that the one can follow; that it does is not said. Below what the
seed has counted for calls that do follow (0.92, 0.93)."""
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class LinkedOperation:
    """A tool, and the operation that it was made of."""

    tool: Tool
    operation: Operation


def relations_of_links(linked: Sequence[LinkedOperation]) -> tuple[ToolRelation, ...]:
    """Return what the links of all operations say: what precedes what, and feeds what it needs."""
    by_name = _named(linked)
    found: dict[tuple[str, str, str], ToolRelation] = {}
    for one in linked:
        for name, link in _links(one.operation):
            target = by_name.get(_target_of(link))
            if target is None or target.id == one.tool.id:
                continue
            for relation in _relations(name, link, one.tool, target):
                found.setdefault(relation.key, relation)
    return tuple(found.values())


def _named(linked: Sequence[LinkedOperation]) -> Mapping[str, Tool]:
    """Return tools by operationId and by the reference to where their operation stands."""
    named: dict[str, Tool] = {}
    for one in linked:
        named[f"{one.operation.method} {one.operation.path}"] = one.tool
        given = one.operation.given.get("operationId")
        if isinstance(given, str):
            named[given] = one.tool
    return named


def _links(operation: Operation) -> Iterator[tuple[str, Mapping[str, Any]]]:
    links = operation.success().get("links")
    for name, unresolved in links.items() if isinstance(links, Mapping) else ():
        yield str(name), operation.references.part(unresolved)


def _target_of(link: Mapping[str, Any]) -> str:
    name, reference = link.get("operationId"), link.get("operationRef")
    if isinstance(name, str):
        return name
    if not isinstance(reference, str) or not reference.startswith("#/paths/"):
        return ""
    path, _, method = reference.removeprefix("#/paths/").rpartition("/")
    return f"{method} {unquote(path).replace('~1', '/').replace('~0', '~')}"


def _relations(
    name: str, link: Mapping[str, Any], source: Tool, target: Tool
) -> Iterator[ToolRelation]:
    told = link.get("description")
    said = f": {without_surrogates(told).strip()}" if isinstance(told, str) and told.strip() else ""
    reason = f"link {name} of the API description{said}"[:_LONGEST_REASON]
    yield _imported(source, target, ToolLink.PRECEDES, reason)
    parameters = link.get("parameters")
    given = parameters.keys() if isinstance(parameters, Mapping) else set()
    required = set(target.schema.get("required", ()))
    if required & {str(one).rpartition(".")[2] for one in given}:
        yield _imported(target, source, ToolLink.DEPENDS_ON, reason)


def _imported(source: Tool, target: Tool, kind: ToolLink, reason: str) -> ToolRelation:
    return ToolRelation(
        source.id,
        target.id,
        kind,
        LINK_CONFIDENCE,
        required=False,
        reason=reason,
        origin=LinkOrigin.IMPORTED,
    )
