"""A copilot is answered from the same sources as a program that asks over REST."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx2
import pytest

from sextant.settings import M365Settings, M365TenantSettings, Settings
from tests.doors.bot import Claim, bot_claims, claim_of, directory_of
from tests.doors.calls import CALLS, WORDLESS, Ask
from tests.doors.copilots import agui_citations, graphql_citations
from tests.doors.shapes import Cited, cited
from tests.serve.running import served

PLAIN = {
    name: call
    for name, call in CALLS.items()
    if isinstance(call, Ask)
    and name not in WORDLESS
    and call == Ask(call.query, personas=call.personas)
}
"""Questions that ask for nothing that a copilot cannot say."""


async def _rest_citations(client: httpx2.AsyncClient, call: Ask) -> tuple[Cited, ...]:
    body = {"query": call.query, "personaIds": list(call.personas)}
    if not call.personas:
        del body["personaIds"]
    told = (await client.post("/api/ask", json=body)).json()
    return tuple(map(cited, told["citations"]))


_BOT = M365Settings(
    anonymous=True,
    tenants=tuple(
        M365TenantSettings(directory_of(call), personas=call.personas) for call in PLAIN.values()
    ),
)
_WAYS = {"AG-UI": agui_citations, "GraphQL": graphql_citations, "REST": _rest_citations}
Citations = dict[str, dict[str, tuple[Cited, ...]]]


@pytest.fixture(scope="module")
def citations(knowledge: Settings) -> Citations:
    """What each question is cited with, by every way."""

    async def ask() -> Citations:
        async with served(knowledge, requests_per_minute=0) as server, server.client() as client:
            return {
                name: {way: await cite(client, call) for way, cite in _WAYS.items()}
                for name, call in PLAIN.items()
            }

    return asyncio.run(ask())


@pytest.mark.parametrize("way", ["AG-UI", "GraphQL"])
@pytest.mark.parametrize("name", PLAIN)
def test_an_answer_is_cited_as_it_is_over_rest(name: str, way: str, citations: Citations) -> None:
    assert citations[name][way] == citations[name]["REST"]


def test_most_of_these_answers_have_citations(citations: Citations) -> None:
    assert sum(bool(told["REST"]) for told in citations.values()) > len(PLAIN) // 2


@pytest.fixture(scope="module")
def claims(knowledge: Settings) -> dict[str, tuple[Claim, ...]]:
    """What each question is cited with by the bot."""

    async def ask() -> dict[str, tuple[Claim, ...]]:
        settings = replace(knowledge, m365=_BOT)
        async with (
            served(settings, requests_per_minute=0, doors="m365") as server,
            server.client() as client,
        ):
            return {name: await bot_claims(client, call) for name, call in PLAIN.items()}

    return asyncio.run(ask())


@pytest.mark.parametrize("name", PLAIN)
def test_the_bot_claims_the_sources_that_rest_cites(
    name: str, claims: dict[str, tuple[Claim, ...]], citations: Citations
) -> None:
    assert claims[name] == tuple(map(claim_of, citations[name]["AG-UI"]))
