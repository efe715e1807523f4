"""A schema of OpenAPI as rows for people: each field with its kind, its limits, what it is for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]
_DEEPEST = 3
_OTHER = "Another name for "
_LIMITS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A field."""

    name: str
    kind: str
    is_needed: bool
    limits: str
    description: str


@dataclass(frozen=True, slots=True)
class Fields:
    """What the references of a document mean."""

    schemas: Mapping[str, Schema]

    def rows(self, schema: Schema, name: str = "", depth: int = 1) -> Iterator[Row]:
        """Yield the fields of a schema, and those in them under the path that leads there."""
        whole = self._resolved(schema)
        fields = whole.get("properties", {})
        for own, field in fields.items():
            if _alias_note(field):
                continue
            path, is_needed = f"{name}{own}", own in whole.get("required", ())
            kinds = self.kinds(field)
            kind = " or ".join(dict.fromkeys(map(self.kind, kinds)))
            others = [one for one, other in fields.items() if _alias_note(other) == own]
            yield Row(
                path, kind, is_needed, _limits(kinds), _field_description(field, kinds, others)
            )
            for part in kinds if depth < _DEEPEST else ():
                is_list = part.get("type") == "array"
                inner = part.get("items", {}) if is_list else part
                yield from self.rows(inner, f"{path}{'[]' if is_list else ''}.", depth + 1)

    def kinds(self, schema: Schema) -> list[Schema]:
        """Return the schemas of which a value may be; null is as good as left out."""
        whole = self._resolved(schema)
        several = whole.get("anyOf") or whole.get("oneOf") or [whole]
        if several == [whole] or "properties" in whole:
            return [whole]
        return [own for one in several for own in self.kinds(one) if own.get("type") != "null"]

    def kind(self, schema: Schema) -> str:
        """Return what a value is, in a word or two."""
        if "enum" in schema:
            return " | ".join(map(repr, schema["enum"]))
        if "const" in schema:
            return repr(schema["const"])
        if schema.get("type") == "array":
            inner = " or ".join(dict.fromkeys(map(self.kind, self.kinds(schema["items"]))))
            return f"list of {inner}"
        return str(schema.get("format") or schema.get("type") or "anything")

    def _resolved(self, schema: Schema) -> Schema:
        if "$ref" in schema:
            known = self.schemas[schema["$ref"].rpartition("/")[2]]
            return {**known, **{name: own for name, own in schema.items() if name != "$ref"}}
        return schema


def other_name(name: str, schema: Schema) -> dict[str, Any]:
    """Return the schema of a field under another name."""
    return {**schema, "description": f"{_OTHER}{name}."}


def _alias_note(field: Schema) -> str:
    """Return which field one is another name of, if it is one."""
    told = str(field.get("description", ""))
    return told.removeprefix(_OTHER).rstrip(".") if told.startswith(_OTHER) else ""


def _field_description(field: Schema, kinds: list[Schema], others: list[str]) -> str:
    described = [field.get("description", ""), *(one.get("description", "") for one in kinds)]
    said = [" ".join(next(filter(None, described), "").split())]
    usual = field.get("default")
    said += [f"Usually {usual}."] if usual not in (None, "", [], {}, False) else []
    said += [f"Also called {', '.join(others)}."] if others else []
    return " ".join(filter(None, said))


def _limits(kinds: list[Schema]) -> str:
    found = (
        told.format(f"{one[name]:,.10g}")
        for one in kinds
        for name, told in _LIMITS.items()
        if name in one and (name, one[name]) != ("minLength", 1)
    )
    return ", ".join(dict.fromkeys(found))
