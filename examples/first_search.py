"""The shortest way through Sextant: take knowledge in, search it, follow its edges.

Runs offline with no key, on the sample knowledge that comes with the package. What it stores goes
into a new folder that is gone afterwards.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

from rich.console import Console
from rich.table import Table

from sextant.build import build
from sextant.core import Sextant
from sextant.query import SourceTypes
from sextant.settings import load
from sextant.types import Direction, NameMode, Scope, Walk

SCOPE = Scope("demo")
QUESTION = "If Service A fails, what breaks and who owns escalation?"
console = Console()


async def take_in(sextant: Sextant, knowledge: Path) -> None:
    """Read, split, link, embed and store a folder."""
    with console.status("Taking in the sample knowledge"):
        report = await sextant.ingest(SCOPE, [str(knowledge)])
    console.print(
        f"Took in {report.added} documents: {report.chunks} chunks, {report.relations} relations."
    )


async def show_search(sextant: Sextant) -> None:
    """Search by words and meaning, and show the score of each leg."""
    found = await sextant.search(SCOPE, QUESTION, k=4)
    table = Table("chunk", "text", "score", "keyword", "vector", title=QUESTION, title_style="bold")
    for match in found.matches:
        chunk = match.passage.chunk
        scores = (f"{value:.3f}" for value in (match.score, match.keyword or 0, match.vector or 0))
        table.add_row(chunk.id, " ".join(chunk.text.split())[:160] + " …", *scores)
    console.print(table)
    filtered = await sextant.search(SCOPE, "restart", filter=SourceTypes(("runbook",)), k=1)
    console.print(f"Only runbooks: {filtered.matches[0].passage.document.title}")


async def show_edges(sextant: Sextant) -> None:
    """Look Service A up and follow what depends on it and where it escalates to."""
    named = await sextant.lookup(SCOPE, ["Svc-A"], NameMode.EXACT)
    service = named["Svc-A"][0].entity
    for kind, direction in (("depends_on", Direction.IN), ("escalates_to", Direction.OUT)):
        around = await sextant.expand(SCOPE, [service.id], Walk(frozenset({kind}), direction))
        for link in around.links:
            edge = link.relation
            console.print(f"{edge.source} —{edge.kind}→ {edge.target}", highlight=False)
            console.print(f"  said in {', '.join(edge.evidence)}", style="dim", highlight=False)


async def main() -> None:
    """Tell the whole story in order."""
    with (
        as_file(files("sextant") / "sample") as sample,
        tempfile.TemporaryDirectory() as folder,
    ):
        settings = load(sample, environment={}).settings
        async with await build(replace(settings, store=f"sqlite:{folder}/store")) as sextant:
            await take_in(sextant, sample / "knowledge")
            await show_search(sextant)
            await show_edges(sextant)


if __name__ == "__main__":
    asyncio.run(main())
