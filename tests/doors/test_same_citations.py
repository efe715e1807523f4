"""A copilot is answered from the same sources as a program that asks over REST."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from sextant.settings import Settings
from tests.doors.calls import CALLS, WORDLESS, Ask
from tests.doors.copilots import agui_citations
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


@pytest.fixture(scope="module")
def citations(knowledge: Settings) -> dict[str, tuple[tuple[Cited, ...], tuple[Cited, ...]]]:
    """What each question is cited with, over AG-UI and over REST."""

    async def ask() -> dict[str, tuple[tuple[Cited, ...], tuple[Cited, ...]]]:
        async with served(knowledge, requests_per_minute=0) as server, server.client() as client:
            return {
                name: (await agui_citations(client, call), await _rest_citations(client, call))
                for name, call in PLAIN.items()
            }

    return asyncio.run(ask())


@pytest.mark.parametrize("name", PLAIN)
def test_an_answer_is_cited_the_same_over_agui_and_rest(
    name: str, citations: dict[str, tuple[tuple[Cited, ...], tuple[Cited, ...]]]
) -> None:
    over_agui, over_rest = citations[name]
    assert over_agui == over_rest


def test_most_of_these_answers_have_citations(
    citations: dict[str, tuple[tuple[Cited, ...], tuple[Cited, ...]]],
) -> None:
    assert sum(bool(over_agui) for over_agui, _ in citations.values()) > len(PLAIN) // 2
