"""What tests of REST ask of: the sample knowledge or a few pages, behind a real server."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from sextant.types import Chunk, Document, Entity, Put, Relation, Scope
from tests.serve.running import Served, served, small

SERVICE_A = "component:default/service-a"
SEED_QUESTION = "If Service A fails, what breaks and who owns escalation?"
DAY = "2026-10-31T00:00:00Z"
EVERYONE = Scope("default")


@dataclass(frozen=True)
class Door:
    """A server, and a client that it lets in."""

    server: Served
    client: httpx2.AsyncClient

    async def ask(self, query: str, **fields: Any) -> Any:
        """Return the reply to a question."""
        reply = await self.client.post("/api/ask", json={"query": query, "now": DAY, **fields})
        return told(reply)


@asynccontextmanager
async def door(folder: Path, store: Path | None = None, **options: Any) -> AsyncIterator[Door]:
    """Serve what a store holds, or nothing yet; what is written there stays in the folder."""
    if store:
        shutil.copytree(store, folder / "s")
    async with served(small(folder), **options) as server, server.client() as client:
        yield Door(server, client)


def told(reply: httpx2.Response, status: int = 200) -> Any:
    """Return the JSON of a reply that has this status."""
    assert reply.status_code == status, reply.text
    return reply.json()


def page(document_id: str, *texts: str, personas: tuple[str, ...] = ()) -> Put:
    """Return a document of some chunks, which says that a thing of its name needs another."""
    document = Document(document_id, f"Title of {document_id}", personas=frozenset(personas))
    chunks = tuple(
        Chunk(f"{document_id}#c{at}", text, 0, len(text)) for at, text in enumerate(texts)
    )
    name = f"Thing {document_id}"
    entities = (Entity(f"thing:{document_id}", name), Entity("thing:hub", "Hub"))
    evidence = (chunks[0].id,) if chunks else ()
    relations = (Relation(f"thing:{document_id}", "thing:hub", "depends_on", evidence=evidence),)
    return Put(document, chunks, entities, relations if chunks else ())


def events_in(text: str) -> Iterator[tuple[str, Any]]:
    """Yield the events of a stream, each with its JSON."""
    for frame in text.split("\n\n"):
        lines = frame.splitlines()
        if len(lines) == 2:
            yield lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))


def untimed(reply: Any) -> Any:
    """Return a reply without how long its steps took."""
    steps = [{**step, "milliseconds": 0} for step in reply["trace"]["steps"]]
    return {**reply, "trace": {**reply["trace"], "steps": steps}}
