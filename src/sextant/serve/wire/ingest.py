"""What comes in to be known, on the wire: documents, a bundle or addresses, and how to take them.

Turns none of it into files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from sextant.limits import DEFAULT
from sextant.serve.wire.models import Id, Ids, Name, Wire
from sextant.serve.wire.pascal import Moment

MOST_DOCUMENTS = 1_000
MOST_ADDRESSES = 100
_LONGEST_TEXT = 4_000_000
_Records = Annotated[list[dict[str, Any]], Field(max_length=100_000)]
_Scalar = str | int | float | bool
_Patterns = Annotated[list[Id], Field(max_length=100)]


class IngestOptions(Wire):
    """How to take in what comes."""

    tags: Ids = Field([], description="Every document gets these.")
    personas: Ids = Field(
        [],
        description="Only these see the documents; only such as the caller may use itself. Where "
        "none is named, a caller that is limited to personas gives them to its own.",
    )
    source_type: str = Field(
        "", max_length=DEFAULT.id, description="The kind of source, such as `runbook`."
    )
    name: str = Field(
        "",
        max_length=200,
        pattern=r"^[^/\\\x00-\x1f]*$",
        description="The source's name, which ids start with; `upload` by default.",
    )
    sync: bool = Field(
        False,
        description="Remove what the source had and this does not bring. Needs a `name`, or a URL.",
    )
    include: _Patterns = Field([], description="Take only these, as in a .gitignore.")
    exclude: _Patterns = Field([], description="Leave these out, as in a .gitignore.")
    depth: int = Field(0, ge=0, le=10, description="Follow links of a site so far.")
    tenant_id: Id | None = Field(None, description="If named here too, the one of the address.")
    persona_id: Id | None = Field(None, description="If named here too, the one of the address.")


class DocumentIn(Wire):
    """A document that comes as text, in Markdown or plain."""

    id: str = Field(
        "",
        max_length=400,
        description="A plain relative path; the document is `upload/{id}.md`. Without it the url, "
        "then the title, then the text stands for it.",
        examples=["runbooks/service-a"],
    )
    title: str = Field("", max_length=DEFAULT.name)
    url: str = Field("", max_length=DEFAULT.url)
    text: str = Field("", max_length=_LONGEST_TEXT)
    content: str = Field("", max_length=_LONGEST_TEXT, description="Another name for text.")
    language: str = Field("", max_length=35)
    source_type: str = Field("", max_length=DEFAULT.id)
    tags: Ids = Field([])
    personas: Ids = Field([])
    created: Moment | None = None
    modified: Moment | None = None
    metadata: dict[Name, _Scalar | list[_Scalar]] = Field({}, max_length=100)


class IngestRequest(IngestOptions):
    """One of: documents, a bundle of entities, relations and chunks, or addresses to fetch."""

    documents: Annotated[list[DocumentIn], Field(max_length=MOST_DOCUMENTS)] | None = None
    entities: _Records | None = None
    relations: _Records | None = None
    chunks: _Records | None = None
    url: str | None = Field(None, max_length=4_000, examples=["https://wiki.example/handbook/"])
    urls: Annotated[list[str], Field(max_length=MOST_ADDRESSES)] | None = None


class FilesIn(IngestOptions):
    """Files as multipart/form-data; a field that is a list comes several times."""

    files: list[str] = Field(
        json_schema_extra={"items": {"type": "string", "format": "binary"}},
        description="Each with its file name; archives are opened.",
    )


def inlined(model: type[Wire]) -> dict[str, Any]:
    """Return a model's schema as one piece, for where the framework does not gather the parts."""
    schema = model.model_json_schema()
    parts = schema.pop("$defs", {})

    def resolved(value: Any) -> Any:
        if isinstance(value, Mapping):
            if "$ref" in value:
                return resolved(parts[value["$ref"].rpartition("/")[2]])
            return {name: resolved(one) for name, one in value.items()}
        return [resolved(one) for one in value] if isinstance(value, list) else value

    found: dict[str, Any] = resolved(schema)
    return found
