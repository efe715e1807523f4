"""How many calls are made for a question, and how many of them wait for each other.

`bench/azure_calls.py` counts them for the questions of the sample knowledge.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from sextant.stores.azure.connection import open_cosmos
from sextant.stores.azure.cosmos.containers import Containers
from sextant.stores.azure.store import open_over
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.suite import IDENTITY
from sextant.types import NameMode, Reach, Scope, Walk
from tests.stores.azure.counting import (
    CountingTransport,
    Tally,
    both_services,
    make_both,
    open_counted,
)
from tests.stores.azure.opening import azure_settings, emulator_key, make_database
from tests.stores.azure.search.parts import running_service

SCOPE = Scope("acme")
QUESTION = "Who owns Service A?"
CALLS = 25
FIRST_WAVES, WAVES = 9, 2
"""In a process that has asked nothing, and again; the first should be six."""


@pytest.fixture(autouse=True)
def _key() -> Iterator[None]:
    with emulator_key():
        yield


def test_graph_and_truth_need_few_calls_for_one_hop(cosmosdb: str, tmp_path: Path) -> None:
    """Names, how often they are mentioned, edges, evidence, who was reached, and mentions."""
    settings = azure_settings(cosmosdb, tmp_path, fresh_seconds=60.0)
    tally = Tally()

    async def run() -> None:
        await make_database(settings)
        connection = open_cosmos(settings.azure, CountingTransport(tally))
        store = open_over(Containers(connection), settings, IDENTITY)
        try:
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
            tally.clear()
            await store.graph.lookup(SCOPE, ["Service A", "owns", "who"], NameMode.EXACT)
            await store.graph.web(SCOPE, [], ["a"], Reach(hops=0))
            walked = await store.graph.neighbours(SCOPE, ["a"], Walk(hops=1))
            evidence = [name for link in walked.links for name in link.relation.evidence]
            assert await store.truth.passages(SCOPE, evidence)
            assert await store.graph.entities(SCOPE, ["a", "x", "y"])
            await store.graph.neighbours(SCOPE, ["a"], Walk(hops=1))
            await store.graph.web(SCOPE, ["runbook#c1", "policy#c1"], ["a"], Reach(hops=1))
        finally:
            await store.admin.close()

    asyncio.run(run())
    assert tally.waves <= 6, tally.asked
    assert tally.calls <= 25, tally.asked


def test_a_whole_question_of_one_hop_makes_so_many_calls_and_no_more(
    cosmosdb: str, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Service A\n\nTeam Y owns Service A.\n")
    (tmp_path / "docs" / "y.md").write_text("# Team Y\n\nTeam Y is led by Ann.\n")
    tally = Tally()

    async def run() -> None:
        with running_service(tmp_path / "search") as place:
            settings = both_services(cosmosdb, place, str(tmp_path), "tiny:16")
            await make_both(settings, place)
            async with await open_counted(settings, place, Tally()) as sextant:
                await sextant.ingest(SCOPE, [str(tmp_path / "docs")])
            async with await open_counted(settings, place, tally) as sextant:
                for waves in (FIRST_WAVES, WAVES):
                    tally.clear()
                    answer = await sextant.ask(SCOPE, QUESTION)
                    assert "Team Y" in answer.text
                    assert tally.waves <= waves, tally.asked
                    assert tally.calls <= CALLS, tally.asked

    asyncio.run(run())
