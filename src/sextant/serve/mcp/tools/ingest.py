"""The tool that takes in entities, relations and chunks, all of them or some, in any order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from pydantic import Field

from sextant.core import Sextant
from sextant.ingest.keeping.mandate import mandate_of
from sextant.limits import DEFAULT
from sextant.retrieval.events import Emit
from sextant.serve.caller import Role
from sextant.serve.jobs.staging import lay_out
from sextant.serve.jobs.work import take_steps
from sextant.serve.mcp.tool import Plain, Tool
from sextant.serve.mcp.tools.graph import ForWhom
from sextant.serve.wire.common.models import Wire
from sextant.serve.wire.ingest import SOURCE_NAME, IngestRequest
from sextant.serve.wire.jobs import state_of
from sextant.types import Scope
from sextant.types.serving import Progress, State

_Records = Annotated[list[dict[str, Any]], Field(max_length=10_000)]


class KnowledgeIngest(ForWhom):
    """Records as `sextant export` writes them."""

    entities: _Records = Field([], description="id, name, type, aliases, metadata.")
    relations: _Records = Field(
        [], description="id, sourceEntityId, targetEntityId, relationType, evidenceChunkIds."
    )
    chunks: _Records = Field([], description="id (doc1#c12), content, title, url, entityIds.")
    embedder: str = Field("", max_length=DEFAULT.id, description="Who made any contentVector.")
    name: str = Field(
        "",
        max_length=200,
        pattern=SOURCE_NAME,
        description="The source; a list replaces its former.",
    )

    @property
    def subject(self) -> str:
        """What it brings."""
        return self.name or "bundle"

    @property
    def request(self) -> IngestRequest:
        """The same as every door sends it."""
        lists = {"entities": self.entities, "relations": self.relations, "chunks": self.chunks}
        given = {name: records for name, records in lists.items() if records}
        return IngestRequest.model_validate(
            {**given, "embedder": self.embedder or None, "name": self.name}
        )


class Ingested(Wire):
    """What came in, what did not, and what is referred to and not there yet."""

    state: str
    document_count: int
    failed: list[dict[str, str]] = Field(description="Each with path, code, detail and hint.")
    unresolved: list[dict[str, Any]] = Field(description="Each with kind, id and neededBy.")
    notes: dict[str, int]


def tools(sextant: Sextant) -> Sequence[Tool]:
    """Return the tool."""

    async def ingest(scope: Scope, request: KnowledgeIngest, _: Emit) -> Plain:
        return await _take_in(sextant, scope, request.request)

    return (
        Tool(
            "knowledge_ingest",
            "Take in entities, relations and chunks",
            "Takes in records as `sextant export` writes them, all lists or one, in any order. "
            "What refers to something that is not there yet is named, and joined when it comes.",
            KnowledgeIngest,
            Ingested,
            Role.WRITE,
            ingest,
            writes=True,
            destroys=True,
        ),
    )


async def _take_in(sextant: Sextant, scope: Scope, request: IngestRequest) -> Plain:
    with TemporaryDirectory(prefix="sextant-") as folder:
        files = Path(folder)
        _, steps = await asyncio.to_thread(lay_out, request, mandate_of(scope), files)
        outcome = await take_steps(sextant, scope, steps, files, _hear_nothing)
    if outcome.error:
        raise outcome.error
    report = outcome.report
    told = {name: report[name] for name in ("documentCount", "failed", "unresolved", "notes")}
    return {"state": state_of(State.DONE, report), **told}


def _hear_nothing(_: Progress) -> None:
    """Let nobody know how far it is."""
