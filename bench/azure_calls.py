"""How many calls to Cosmos DB and AI Search a question makes, and how many wait for each other.

``python -m bench.azure_calls`` takes the sample knowledge into the emulator of Cosmos DB and the
loopback search service that the tests use, and asks its questions of one hop: first in a process
that has asked nothing, then after all others, then again. A wave is calls that wait for none
of each other, counted as if all took the same time: no answer goes on before all of its wave are
there. How long a call takes is not measured: no service is near.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests.peers.fixtures import HERE
from tests.peers.running import running
from tests.stores.azure.counting import Tally, both_services, make_both, open_counted
from tests.stores.azure.opening import emulator_key
from tests.stores.azure.search.parts import Place, running_service

from bench.serving.sample import SAMPLE, read_questions
from sextant.core import Sextant
from sextant.settings import Settings
from sextant.types import Scope

WAVES_BAR, CALLS_BAR = 6, 25
console = Console()


def main() -> None:
    """Count and report."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(["node", "emulator.mjs"], HERE / "cosmosdb") as url,
        running_service(Path(folder) / "search") as place,
        emulator_key(),
    ):
        asyncio.run(_count(both_services(url, place, folder, "minilm:"), place))


async def _count(settings: Settings, place: Place) -> None:
    tally, questions = Tally(), read_questions("one-hop")

    async def counted(sextant: Sextant, question: str) -> tuple[int, int]:
        tally.clear()
        await sextant.ask(Scope(), question)
        return tally.waves, tally.calls

    await make_both(settings, place)
    async with await open_counted(settings, place, tally) as sextant:
        await sextant.ingest(Scope(), [str(SAMPLE / "knowledge")])
    counts: dict[str, list[tuple[int, int]]] = {}
    for question in questions:
        async with await open_counted(settings, place, tally) as sextant:
            first = await counted(sextant, question)
            counts.setdefault("the first of a process", []).append(first)
    async with await open_counted(settings, place, tally) as sextant:
        for name in ("after others", "again"):
            counts[name] = [await counted(sextant, one) for one in questions]
    table = Table("a question", "waves, median", "worst", "calls, median", "worst")
    for name, pairs in counts.items():
        numbers = [
            str(of(own)) for own in zip(*pairs, strict=True) for of in (statistics.median, max)
        ]
        table.add_row(name, *numbers)
    console.print(table)
    console.print(f"{len(questions)} questions. Bars: {WAVES_BAR} waves, {CALLS_BAR} calls.")


if __name__ == "__main__":
    main()
