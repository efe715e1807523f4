"""OpenAPI 3.0 and 3.1 and Swagger 2: each operation is a tool, its links are relations.

Nothing is fetched: what stands in another file stays unknown, and the notes say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sextant.errors import InvalidInput
from sextant.limits import check_name
from sextant.toolbox.catalogue.formats.entries import Naming
from sextant.toolbox.catalogue.formats.links import LinkedOperation, relations_of_links
from sextant.toolbox.catalogue.formats.operations import Operation, operation_id
from sextant.toolbox.catalogue.formats.references import References
from sextant.toolbox.catalogue.nouns import Catalogue, RefusedTool
from sextant.toolbox.catalogue.schemas import checked_parameters, checked_schema, without_surrogates
from sextant.types import Category, Tool

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_MOST_NOTED = 5


def is_openapi(value: Mapping[str, Any]) -> bool:
    """Whether a file says that it describes an API."""
    return "openapi" in value or "swagger" in value


def read_openapi(value: Mapping[str, Any], naming: Naming) -> Catalogue:
    """Return the operations of an API as tools."""
    if not isinstance(value.get("paths"), Mapping):
        raise InvalidInput("it has no paths", "Describe the operations under `paths`.")
    references = References(value)
    tools: dict[str, Tool] = {}
    linked: list[LinkedOperation] = []
    refused: list[RefusedTool] = []
    for operation in _operations(value, references):
        try:
            tool = _tool(operation, naming)
            if tool.id in tools:
                raise InvalidInput("its id comes twice; the first is taken", "Rename one.")  # noqa: TRY301
        except InvalidInput as error:
            refused.append(RefusedTool(operation.label, error.message.rstrip(".")))
            continue
        tools[tool.id] = tool
        linked.append(LinkedOperation(tool, operation))
    return Catalogue(
        tuple(tools.values()),
        tuple(_categories(value)),
        relations_of_links(linked),
        tuple(refused),
        (*_security_notes(value, references), *_outside_notes(references)),
    )


def _operations(value: Mapping[str, Any], references: References) -> Iterator[Operation]:
    for path, unresolved in value["paths"].items():
        item = references.part(unresolved)
        shared = item.get("parameters")
        for method in _METHODS:
            given = item.get(method)
            if isinstance(given, Mapping):
                yield Operation(
                    method, str(path), given, shared if isinstance(shared, list) else [], references
                )


def _tool(operation: Operation, naming: Naming) -> Tool:
    name = operation_id(operation)
    tool_id = naming.id_of(name)
    check_name("tool id", tool_id)
    return Tool(
        tool_id,
        name,
        operation.tag,
        operation.description,
        checked_parameters(operation.parameters()),
        _returned(operation),
        naming.server or naming.source,
        naming.source,
    )


def _returned(operation: Operation) -> Mapping[str, Any]:
    """Return what an operation gives back; what is no schema there keeps no tool away."""
    try:
        return checked_schema(operation.response())
    except InvalidInput:
        return {}


def _categories(value: Mapping[str, Any]) -> Iterator[Category]:
    tags = value.get("tags")
    for tag in tags if isinstance(tags, list) else []:
        name = tag.get("name") if isinstance(tag, Mapping) else None
        if isinstance(name, str) and name:
            description = tag.get("description")
            told = without_surrogates(description) if isinstance(description, str) else ""
            yield Category(without_surrogates(name), told)


def _security_notes(value: Mapping[str, Any], references: References) -> Iterator[str]:
    """Yield which proofs of who calls the API asks for; none of them is kept."""
    components = references.part(value.get("components"))
    schemes = components.get("securitySchemes") or value.get("securityDefinitions")
    for name, unresolved in schemes.items() if isinstance(schemes, Mapping) else ():
        scheme = references.part(unresolved)
        how = " ".join(str(scheme[key]) for key in ("type", "scheme", "in") if scheme.get(key))
        yield f"its calls may need {name} ({without_surrogates(how)[:80]})"


def _outside_notes(references: References) -> Iterator[str]:
    outside = sorted(references.outside)
    if outside:
        more = f" and {len(outside) - _MOST_NOTED} more" if len(outside) > _MOST_NOTED else ""
        named = ", ".join(outside[:_MOST_NOTED])
        yield f"what stands in other files was not read: {named}{more}"
