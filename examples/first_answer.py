"""The shortest way through Sextant: take knowledge in, ask, see the sources, check them again.

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
from rich.markup import escape

from sextant import Answer, Question, Scope, Sextant, load_settings, open_sextant

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


async def answer(sextant: Sextant) -> Answer:
    """Ask, and show the answer with its sources and how sure it is."""
    found = await sextant.ask(SCOPE, QUESTION)
    console.print(f"\n[bold]{QUESTION}[/bold]\n")
    console.print(escape(found.text), highlight=False)
    console.print("\n[bold]Sources[/bold]")
    for one in found.citations:
        quote = " ".join(one.quote.split())
        console.print(f"[cyan]{escape(one.label)}[/cyan]  {escape(one.chunk_id)}", highlight=False)
        console.print(f"  “{escape(quote)}”", style="dim", highlight=False)
    console.print(f"\nConfidence {found.verdict.confidence:.2f}")
    return found


async def check(sextant: Sextant, found: Answer) -> None:
    """Check every quote of the answer against the store once more."""
    checked = await sextant.verify(SCOPE, found)
    console.print(f"Checked against the store: {'all of it stands' if checked.ok else 'broken'}.")


async def rank(sextant: Sextant) -> None:
    """Show what was ranked for the same question, and why it stands where it stands."""
    ranked = await sextant.search(SCOPE, Question(QUESTION, k=4))
    console.print("\n[bold]Ranked knowledge[/bold] (relevancy, recency, richness, reputation)")
    for hit in ranked.hits:
        scores = hit.scores
        four = (scores.relevancy, scores.recency, scores.richness, scores.reputation)
        each = " ".join(f"{value:.2f}" for value in four)
        chunk = escape(hit.passage.chunk.id)
        console.print(f"{scores.total:.2f} ({each}) {chunk}", highlight=False, soft_wrap=True)
        console.print(f"     {escape(hit.ledger.turning)}", style="dim", highlight=False)


async def main() -> None:
    """Tell the whole story in order."""
    with (
        as_file(files("sextant") / "sample") as sample,
        tempfile.TemporaryDirectory() as folder,
    ):
        settings = load_settings(sample, environment={})
        async with await open_sextant(replace(settings, store=f"sqlite:{folder}/store")) as sextant:
            await take_in(sextant, sample / "knowledge")
            await check(sextant, await answer(sextant))
            await rank(sextant)


if __name__ == "__main__":
    asyncio.run(main())
