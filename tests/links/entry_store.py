"""A KnowledgeStore of somebody else under way, with a little knowledge, and a pipeline over it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sextant.build import build_pipeline
from sextant.core.pipeline import Pipeline
from sextant.llms.tiny import Tiny
from sextant.serve.mcp.transports.single_server import running_alone
from sextant.settings import RemoteSettings, Settings

KNOWLEDGE_TOKEN, MODELS_TOKEN = "knowledge-0123456789abcdef", "models-0123456789abcdef"
NAMES = ("SEXTANT_KNOWLEDGE_STORE_TOKEN", "SEXTANT_LLM_ORCHESTRATION_TOKEN")
_ROOT = Path(__file__).parents[2]
_PATIENCE_S = 600.0


def entry(name: str, text: str, **more: Any) -> dict[str, Any]:
    """Return an entry as the store keeps it; what is left out is as usual."""
    artifact = {
        "ArtifactId": f"{name}.md",
        "Title": more.get("title", ""),
        "Url": f"https://kb.example/{name}",
        "SourceType": more.get("source_type", "wiki"),
        "CreationDate": "2024-01-01T00:00:00Z",
        "LastModifiedDate": more.get("modified", "2025-01-01T00:00:00Z"),
        "SourceReputationScore": more.get("reputation", 0.5),
    }
    (vector,) = asyncio.run(Tiny(64).embed([text], "document")).tolist()
    return {
        "PersonaKnowledgeEntryId": name,
        "TenantId": more.get("tenant", "default"),
        "PersonaId": more.get("persona"),
        "ContentSummary": text,
        "Timestamp": more.get("timestamp"),
        "AssociatedArtifact": artifact,
        "tags": more.get("tags", []),
        "vector": vector,
    }


def usual_entries() -> list[dict[str, Any]]:
    """Return some entries of two tenants and a persona."""
    return [
        entry("queue", "Harbor Queue is owned by Team Y.", title="Harbor Queue", tags=["own"]),
        entry("old", "The crane was repaired.", timestamp="2001-05-28T00:00:00.0000000Z"),
        entry("new", "The crane was repaired.", timestamp="2100-05-28T00:00:00Z"),
        entry("lunch", "Lunch is served at noon.", source_type="menu", reputation=0.9),
        entry("plan", "Harbor Queue moves to Hall B.", persona="sre"),
        entry("theirs", "Harbor Queue of another tenant.", tenant="other"),
    ]


@contextmanager
def running_store(
    folder: Path, spelling: str = "pascal", entries: list[dict[str, Any]] | None = None
) -> Iterator[str]:
    """Run that server until the block ends; yield where it answers."""
    file = folder / "entries.json"
    file.write_text(json.dumps(usual_entries() if entries is None else entries), "utf-8")
    command = [sys.executable, "-m", "tests.links.entry_server", spelling, str(file)]
    with subprocess.Popen(
        [*command, KNOWLEDGE_TOKEN], cwd=_ROOT, stdout=subprocess.PIPE, text=True
    ) as one:
        watchdog = threading.Timer(_PATIENCE_S, one.kill)
        watchdog.start()
        try:
            assert one.stdout
            yield f"http://127.0.0.1:{int(one.stdout.readline())}/mcp"
        finally:
            watchdog.cancel()
            one.kill()


@dataclass(frozen=True)
class Peered:
    """A pipeline that is asked in Python, and its settings."""

    pipeline: Pipeline
    settings: Settings


@asynccontextmanager
async def pipeline_over(folder: Path, address: str, **remote: Any) -> AsyncIterator[Peered]:
    """Open a pipeline over that store and over models of ours; each has a token of its own."""
    settings = Settings(store=f"sqlite:{folder}/none", embedder="tiny:64")
    quiet = replace(settings.serve, port=0, audit=False, folder=str(folder))
    settings = replace(settings, serve=quiet)
    tokens = dict(zip(NAMES, (KNOWLEDGE_TOKEN, MODELS_TOKEN), strict=True))
    before = {name: os.environ.get(name) for name in tokens}
    os.environ.update(tokens)
    try:
        async with running_alone(settings, "llm-orchestration", MODELS_TOKEN) as models:
            peers = RemoteSettings(address, llm_orchestration=f"{models.url}/mcp", **remote)
            chosen = replace(settings, remote=peers)
            async with await build_pipeline(chosen) as pipeline:
                yield Peered(pipeline, chosen)
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def with_store(
    folder: Path,
    work: Callable[[Peered], Awaitable[None]],
    spelling: str = "pascal",
    entries: list[dict[str, Any]] | None = None,
) -> None:
    """Work with a pipeline over a store that has the common tools and no more."""

    async def run(address: str) -> None:
        async with pipeline_over(folder, address) as peered:
            await work(peered)

    with running_store(folder, spelling, entries) as address:
        asyncio.run(run(address))
