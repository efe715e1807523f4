"""How many calls the graph and the truth make for a question, and how many wait for each other."""

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
from tests.stores.azure.counting import CountingTransport, Tally
from tests.stores.azure.opening import azure_settings, emulator_key, make_database

SCOPE = Scope("acme")


@pytest.fixture(autouse=True)
def _key() -> Iterator[None]:
    with emulator_key():
        yield


def test_a_question_of_one_hop_needs_few_calls_that_wait_for_each_other(
    cosmosdb: str, tmp_path: Path
) -> None:
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
