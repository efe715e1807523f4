"""What comes in to be known, on the wire: documents, a bundle or addresses, and how to take them.

Turns none of it into files.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, JsonValue

from sextant.limits import DEFAULT
from sextant.serve.caller import Wanted
from sextant.serve.wire.common.models import (
    MOST_LISTED,
    PERSONA_ID,
    PERSONA_IDS,
    WHOLE,
    Id,
    Ids,
    Name,
    PersonaIds,
    Request,
    named_personas,
)
from sextant.serve.wire.common.pascal import Moment
from sextant.serve.wire.common.whom import Whom

MOST_DOCUMENTS = 1_000
MOST_ADDRESSES = 100
SOURCE_NAME = r"^[^/\\\x00-\x1f]*$"
"""What a source may be called: nothing that looks like a path."""

_LONGEST_TEXT = 4_000_000
_FILE: dict[str, JsonValue] = {"type": "string", "format": "binary"}
_Records = Annotated[list[dict[str, Any]], Field(max_length=100_000)]
_Scalar = str | int | float | bool
_Scalars = Annotated[list[_Scalar], Field(max_length=MOST_LISTED)]
_Patterns = Annotated[list[Id], Field(max_length=100)]


class IngestOptions(Request):
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
        pattern=SOURCE_NAME,
        description="The source's name; ids of files start with it. `upload` by default.",
    )
    base_url: str = Field(
        "",
        max_length=DEFAULT.url,
        description="Where files and documents without a `url` are on the web: `a/b.md` is at "
        "`a/b/` below it, or where `{path}` or `{stem}` stands in it.",
        examples=["https://docs.example.org/"],
    )
    sync: bool = Field(
        False,
        description="Remove what the source had and this does not bring. Needs a `name`, or a URL.",
    )
    include: _Patterns = Field([], description="Take only these, as in a .gitignore.")
    exclude: _Patterns = Field([], description="Leave these out, as in a .gitignore.")
    depth: Annotated[int, Field(ge=0, le=10), WHOLE] = Field(
        0, description="Follow links of a site so far."
    )


class FormOptions(IngestOptions):
    """How to take in files, and for whom."""

    tenant_id: Id | None = Field(None, description="The tenant; else the token's own.")
    persona_id: Id | None = PERSONA_ID
    persona_ids: PersonaIds | None = PERSONA_IDS

    @property
    def places(self) -> tuple[Wanted, ...]:
        """For whom the form says that it comes."""
        return (Wanted(self.tenant_id or "", named_personas(self.persona_id, self.persona_ids)),)


class DocumentIn(Request):
    """A document that comes as text, in Markdown or plain."""

    id: str = Field(
        "",
        max_length=400,
        description="What the document is known by from then on, a plain relative path. Without it "
        "the url, the title or the text stands for it, below the source's name; the report of the "
        "job names it.",
        examples=["runbooks/service-a"],
    )
    title: str = Field(
        "", max_length=DEFAULT.name, description="Without it the first heading, or the id."
    )
    url: str = Field("", max_length=DEFAULT.url, description="Where citations lead.")
    text: str = Field(
        "",
        max_length=_LONGEST_TEXT,
        description="In Markdown or plain. `start` and `end` of passages and citations count its "
        "characters (code points), with line feeds for all line ends.",
    )
    content: str = Field("", max_length=_LONGEST_TEXT, description="Another name for text.")
    language: str = Field("", max_length=35, description="As a tag, such as en or de-AT.")
    source_type: str = Field("", max_length=DEFAULT.id, description="In place of the request's.")
    tags: Ids = Field([], description="Beside the request's.")
    personas: Ids = Field([], description="Who sees it, in place of the request's.")
    created: Moment | None = Field(None, description="When it was written.")
    modified: Moment | None = Field(None, description="When it was changed last.")
    metadata: dict[Name, _Scalar | _Scalars] = Field(
        {}, max_length=100, description="More fields, with plain values."
    )


class IngestRequest(IngestOptions, Whom):
    """One of: documents, a bundle of entities, relations and chunks, or addresses to fetch."""

    documents: Annotated[list[DocumentIn], Field(max_length=MOST_DOCUMENTS)] | None = Field(
        None, description="Texts with what they say of themselves."
    )
    entities: _Records | None = Field(None, description="As `sextant export` writes them.")
    relations: _Records | None = Field(None, description="As `sextant export` writes them.")
    chunks: _Records | None = Field(None, description="As `sextant export` writes them.")
    embedder: str | None = Field(
        None,
        max_length=DEFAULT.id,
        description="Who made each `contentVector`. Those of the store's own embedder, as "
        "`/api/status?all=true` names it, are kept; else texts are embedded anew.",
    )
    url: str | None = Field(
        None,
        max_length=4_000,
        description="A page or a site to fetch.",
        examples=["https://wiki.example/handbook/"],
    )
    urls: Annotated[list[str], Field(max_length=MOST_ADDRESSES)] | None = Field(
        None, description="Several of them."
    )


class FilesIn(FormOptions):
    """Files as multipart/form-data, under any name; a field that is a list comes several times."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": {**_FILE}})

    files: list[str] = Field(
        max_length=MOST_LISTED,
        json_schema_extra={"items": {**_FILE}},
        description="Each with its file name; archives are opened.",
    )
