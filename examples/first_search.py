"""The shortest way through Sextant: store a little knowledge, search it, follow its edges.

Runs offline with no key. What it stores goes into a new folder that is gone afterwards.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from sextant.build import build
from sextant.core import Sextant
from sextant.query import SourceTypes
from sextant.settings import load
from sextant.types import Chunk, Direction, Document, Entity, Put, Relation, Scope, Walk

SCOPE = Scope("demo")
QUESTION = "If Service A fails, what breaks and who owns escalation?"
console = Console()


def page(name: str, kind: str, title: str, text: str, **more: object) -> Put:
    """Return a document of one chunk."""
    modified = datetime(2026, 11, 1, tzinfo=UTC)
    document = Document(name, title, f"https://wiki.example/{name}", kind, modified=modified)
    mentions = more.pop("mentions", ())
    chunk = Chunk(f"{name}#c1", text, 0, len(text), entity_ids=mentions)  # type: ignore[arg-type]
    return Put(document, (chunk,), **more)  # type: ignore[arg-type]


def knowledge() -> list[Put]:
    """Return a few pages about a fictional platform."""
    return [
        page(
            "service-a",
            "catalogue",
            "Service A",
            "Service A is the payment gateway. Process X depends on it for every refund.",
            mentions=("service-a", "process-x"),
            entities=(
                Entity("service-a", "Service A", "service", frozenset({"payment gateway"})),
                Entity("process-x", "Process X", "process", frozenset({"refunds"})),
            ),
            relations=(
                Relation("process-x", "service-a", "depends_on", 0.95, 1.0, ("service-a#c1",)),
            ),
        ),
        page(
            "escalation",
            "policy",
            "Escalation policy",
            "Team Y owns the escalation of Service A, around the clock.",
            mentions=("service-a", "team-y"),
            entities=(Entity("team-y", "Team Y", "team"),),
            relations=(
                Relation("service-a", "team-y", "escalates_to", 0.9, 1.0, ("escalation#c1",)),
            ),
        ),
        page(
            "runbook-a",
            "runbook",
            "Runbook: Service A does not answer",
            "Check the certificate, then restart the pods. Page Team Y after ten minutes.",
            mentions=("service-a", "team-y"),
        ),
        page("holidays", "policy", "Holidays", "Everybody has thirty days of holiday a year."),
        page("kitchen", "wiki", "Kitchen", "The coffee machine is cleaned on Fridays."),
    ]


async def show_search(sextant: Sextant) -> None:
    """Search by words and meaning, and show the score of each leg."""
    found = await sextant.search(SCOPE, QUESTION, k=3)
    table = Table("chunk", "text", "score", "keyword", "vector", title=QUESTION, title_style="bold")
    for match in found.matches:
        chunk = match.passage.chunk
        scores = (f"{value:.3f}" for value in (match.score, match.keyword or 0, match.vector or 0))
        table.add_row(chunk.id, chunk.text, *scores)
    console.print(table)
    filtered = await sextant.search(SCOPE, "restart", filter=SourceTypes(("runbook",)), k=1)
    console.print(f"Only runbooks: {filtered.matches[0].passage.document.title}")


async def show_edges(sextant: Sextant) -> None:
    """Follow the edges around Service A."""
    around = await sextant.expand(SCOPE, ["service-a"], Walk(direction=Direction.BOTH, hops=2))
    for link in around.links:
        edge = link.relation
        evidence = ", ".join(edge.evidence)
        console.print(f"{edge.source} —{edge.kind}→ {edge.target}  ({edge.confidence}, {evidence})")


async def main() -> None:
    """Tell the whole story in order."""
    with tempfile.TemporaryDirectory() as folder:
        settings = replace(load(environment={}).settings, store=f"sqlite:{folder}/store")
        async with await build(settings) as sextant:
            receipt = await sextant.write(SCOPE, knowledge())
            console.print(
                f"Stored {receipt.written} documents, durable as commit {receipt.commit}."
            )
            await show_search(sextant)
            await show_edges(sextant)


if __name__ == "__main__":
    asyncio.run(main())
