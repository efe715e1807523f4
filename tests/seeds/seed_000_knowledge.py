"""The graph of specification 000 behind a real server: its own records, and what stands round them.

A third hop, and pages that have nothing to do with it, show where the way ends.
"""

from __future__ import annotations

import asyncio
import atexit
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from tests.serve.rest.knowing import Door, door, told

T = TypeVar("T")
QUESTION = "If Service A fails, what breaks and who owns escalation?"
ASKED: dict[str, Any] = {
    "user": {"aadObjectId": "6f0c7a52"},
    "conversationId": "c-1",
    "query": QUESTION,
    "context": {"tenantId": "default", "locale": "en-US"},
}
ENTITY: dict[str, Any] = {
    "id": "service-a",
    "name": "Service A",
    "type": "service",
    "aliases": ["ServiceA", "Svc-A"],
    "metadata": {"owner": "team-x"},
}
RELATION: dict[str, Any] = {
    "id": "rel-1",
    "sourceEntityId": "service-a",
    "targetEntityId": "process-x",
    "relationType": "depends_on",
    "evidenceChunkIds": ["doc1#c12"],
}
CHUNK: dict[str, Any] = {
    "id": "doc1#c12",
    "content": "Service A depends on Process X...",
    "title": "Runbook - Service A",
    "url": "https://...",
    "entityIds": ["service-a", "process-x"],
}


def entity(name: str, title: str, kind: str) -> dict[str, Any]:
    return {"id": name, "name": title, "type": kind, "aliases": [], "metadata": {}}


def relation(number: int, source: str, kind: str, target: str, *chunk_ids: str) -> dict[str, Any]:
    return {
        "id": f"rel-{number}",
        "sourceEntityId": source,
        "targetEntityId": target,
        "relationType": kind,
        "evidenceChunkIds": list(chunk_ids),
    }


def chunk(name: str, title: str, content: str, *entity_ids: str) -> dict[str, Any]:
    return {
        "id": name,
        "content": content,
        "title": title,
        "url": f"https://example.org/{name.partition('#')[0]}",
        "entityIds": list(entity_ids),
    }


BUNDLE: dict[str, Any] = {
    "entities": [
        ENTITY,
        entity("process-x", "Process X", "process"),
        entity("team-y", "Team Y", "team"),
        entity("house-z", "House Z", "department"),
    ],
    "relations": [
        RELATION,
        relation(2, "process-x", "escalates_to", "team-y", "doc2#c3", "doc3#c7"),
        relation(3, "team-y", "part_of", "house-z", "doc4#c1"),
    ],
    "chunks": [
        CHUNK,
        chunk("doc2#c3", "Process X", "Process X escalates to Team Y.", "process-x", "team-y"),
        chunk("doc3#c7", "Rota", "Ring 4711 first, then wait."),
        chunk("doc4#c1", "Departments", "Team Y is part of House Z.", "team-y", "house-z"),
        *(chunk(f"noise{at}#c0", f"Bird {at}", f"Bird {at} was seen twice.") for at in range(80)),
    ],
}


@asynccontextmanager
async def seeded(folder: Path) -> AsyncIterator[Door]:
    """Serve the graph; it is taken in once, through POST /api/ingest, and then copied."""
    home = _home()
    if not (home / "s").exists():
        async with door(home) as one:
            told(await one.client.post("/api/ingest", json=BUNDLE, headers={"Prefer": "wait=30"}))
    async with door(folder, home / "s") as one:
        yield one


def with_seed(folder: Path, work: Callable[[Door], Coroutine[Any, Any, T]]) -> T:
    """Return what some work with a server of that graph comes to."""

    async def task() -> T:
        async with seeded(folder) as one:
            return await work(one)

    return asyncio.run(task())


def asked(folder: Path, **fields: Any) -> Any:
    """Return the reply to the request of the specification, with other fields where given."""

    async def work(one: Door) -> Any:
        return told(await one.client.post("/api/ask", json={**ASKED, **fields}))

    return with_seed(folder, work)


@cache
def _home() -> Path:
    home = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return home
