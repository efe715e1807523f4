"""One operation of an API: what it is called, takes and returns. Knows no tool."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sextant.toolbox.catalogue.formats.references import References
from sextant.toolbox.catalogue.schemas import without_surrogates

BODY = "body"
"""The parameter that a request's body becomes where it is no object, or a name of it is taken."""

_PLACES = ("path", "query", "header")
_OWN_HEADERS = frozenset({"accept", "content-type", "authorization"})
"""Headers that OpenAPI has in other places."""
_SUCCESSES = ("200", "201", "202", "203", "206", "2XX", "2xx", "default")
_NO_PARAMETER = frozenset(
    {"name", "in", "required", "allowEmptyValue", "style", "explode", "schema"}
)
_NOT_PART_OF_NAME = re.compile(r"[^A-Za-z0-9]+")
_STRANGE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as it was written, with the parameters that its path has for all."""

    method: str
    path: str
    given: Mapping[str, Any]
    shared: Sequence[Any]
    references: References

    @property
    def label(self) -> str:
        """How people call it."""
        return f"{self.method.upper()} {self.path}"

    @property
    def tag(self) -> str:
        """The first of its tags."""
        tags = self.given.get("tags")
        first = tags[0] if isinstance(tags, list) and tags else ""
        return without_surrogates(first) if isinstance(first, str) else ""

    @property
    def description(self) -> str:
        """Its summary and its description, or how it is called where it has neither."""
        told = (self.given.get("summary"), self.given.get("description"))
        texts = [
            without_surrogates(one).strip() for one in told if isinstance(one, str) and one.strip()
        ]
        if len(texts) == len(told) and texts[1].startswith(texts[0].rstrip(".")):
            texts = texts[1:]
        return "\n".join(texts) or self.label

    def parameters(self) -> dict[str, Any]:
        """Return all that it takes as the schema of one object."""
        properties: dict[str, Any] = {}
        required: list[str] = []
        body: Mapping[str, Any] = {}
        for parameter in self._parameters():
            place, name = parameter["in"], without_surrogates(parameter["name"])
            if place == BODY:
                body = {"schema": parameter.get("schema"), "required": parameter.get("required")}
                continue
            properties.setdefault(name, self._schema(parameter))
            if parameter.get("required") is True and name not in required:
                required.append(name)
        body = body or self._body()
        if body:
            self._add_body(properties, required, body)
        made: dict[str, Any] = {"type": "object", "properties": properties}
        return {**made, "required": required} if required else made

    def response(self) -> dict[str, Any]:
        """Return the schema of what comes back if all goes well."""
        answer = self.success()
        schema = answer.get("schema") or _json_content(self.references.part(answer)).get("schema")
        return self.references.schema(schema, is_request=False) if schema else {}

    def success(self) -> Mapping[str, Any]:
        """Return the answer that is given if all goes well."""
        answers = self.given.get("responses")
        coded = answers.items() if isinstance(answers, Mapping) else ()
        known = {str(code): own for code, own in coded}
        chosen = next((known[code] for code in _SUCCESSES if code in known), None)
        return self.references.part(chosen)

    def _parameters(self) -> Iterator[Mapping[str, Any]]:
        """Yield its parameters; one of its own stands before the path's of the same name."""
        own = self.given.get("parameters")
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for unresolved in (*self.shared, *(own if isinstance(own, list) else ())):
            parameter = self.references.part(unresolved)
            place, name = parameter.get("in"), parameter.get("name")
            if isinstance(place, str) and isinstance(name, str) and _counts(place, name):
                found[place, name] = parameter
        yield from found.values()

    def _schema(self, parameter: Mapping[str, Any]) -> dict[str, Any]:
        """Return the schema of a parameter, which Swagger 2 writes beside its name."""
        schema = parameter.get("schema") or _json_content(parameter).get("schema")
        if schema is None:
            schema = {key: own for key, own in parameter.items() if key not in _NO_PARAMETER}
        made = self.references.schema(schema, is_request=True)
        description = parameter.get("description")
        return {**made, "description": description} if isinstance(description, str) else made

    def _body(self) -> Mapping[str, Any]:
        body = self.references.part(self.given.get("requestBody"))
        content = _json_content(body)
        return {**content, "required": body.get("required")} if content else {}

    def _add_body(
        self, properties: dict[str, Any], required: list[str], body: Mapping[str, Any]
    ) -> None:
        """Put the properties of a body beside the parameters, or the body where they are taken."""
        schema = _merged(self.references.schema(body.get("schema"), is_request=True))
        inner, is_required = schema.get("properties"), body.get("required") is True
        if isinstance(inner, dict) and inner and properties.keys().isdisjoint(inner):
            properties |= inner
            wanted = schema.get("required")
            if is_required and isinstance(wanted, list):
                required += [name for name in wanted if name in inner and name not in required]
            return
        name = BODY if BODY not in properties else f"request_{BODY}"
        properties[name] = schema
        if is_required:
            required.append(name)


def operation_id(operation: Operation) -> str:
    """Return what an operation is called, or a name made of its method and its path."""
    given = operation.given.get("operationId")
    if isinstance(given, str) and given.strip():
        return _STRANGE.sub("_", without_surrogates(given).strip())
    words = _NOT_PART_OF_NAME.sub("_", operation.path).strip("_")
    return f"{operation.method}_{words}" if words else operation.method


def _counts(place: str, name: str) -> bool:
    if place == "header":
        return name.lower() not in _OWN_HEADERS
    return place in (*_PLACES, "formData", BODY)


def _json_content(holder: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the content that is JSON, or else the first that has a schema."""
    content = holder.get("content")
    if not isinstance(content, Mapping):
        return {}
    kinds = [(str(kind), own) for kind, own in content.items() if isinstance(own, Mapping)]
    as_json = [own for kind, own in kinds if "json" in kind]
    return next(iter([*as_json, *(own for _, own in kinds)]), {})


def _merged(schema: dict[str, Any]) -> dict[str, Any]:
    """Return an object that is put together of several as one; of a choice nothing is merged."""
    parts = schema.get("allOf")
    if not isinstance(parts, list) or not all(isinstance(one, dict) for one in parts):
        return schema
    properties, required = dict[str, Any](), list[str]()
    for part in ({**schema, "allOf": None}, *map(_merged, parts)):
        inner, wanted = part.get("properties"), part.get("required")
        properties |= inner if isinstance(inner, dict) else {}
        required += wanted if isinstance(wanted, list) else []
    return {"type": "object", "properties": properties, "required": list(dict.fromkeys(required))}
