"""What remote endpoints offer is learnt in the background: who needs no remote waits for none."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sextant.chat.remotes.known import Remotes
from sextant.errors import AgentNotFound
from sextant.links.remote_endpoints.kinds import open_remote_endpoint
from sextant.plugins import RunContext, agent
from sextant.settings import Settings
from tests.chat.remote_endpoint import INFO, endpoint, remote_settings, said
from tests.chat.running import ANN, QUEUE, events_of, opened, request, text_of
from tests.links.http_server import served
from tests.loopback import Answer

SILENT = Answer(body=None)
OTHERS = INFO | {"agents": [{"name": "scout", "description": "Another one"}]}


@agent
async def clerk(run: RunContext) -> str:
    """Answers at once."""
    return f"Here, {run.scope.user}."


@asynccontextmanager
async def _known(settings: Settings, clock: list[float]) -> AsyncIterator[Remotes]:
    [lab] = settings.chat.remotes
    own = open_remote_endpoint(lab, settings)
    remotes = Remotes([own], clock=lambda: clock[0])
    try:
        yield remotes
    finally:
        await remotes.close()
        await own.close()


async def test_the_default_agent_without_a_model_asks_no_remote() -> None:
    with endpoint(info=SILENT) as remote:
        settings = remote.settings(grounding="agent", offer_seconds=600)
        async with opened(settings=settings, puts=[QUEUE]) as sextant, asyncio.timeout(60):
            told = await events_of(sextant.copilot, request("Who owns the Harbor Queue?"))
            assert "Team Keel" in text_of(told)
            await sextant.copilot.load_state(ANN, "t1", "default")
        assert remote.heard == []


async def test_an_agent_of_ours_waits_a_little_for_a_remote_that_nobody_heard_of() -> None:
    with endpoint(info=SILENT) as remote:
        async with opened(settings=remote.settings(offer_seconds=600)) as sextant:
            sextant.copilot.register(clerk)
            async with asyncio.timeout(60):
                told = await events_of(sextant.copilot, request(agent="clerk"))
        assert text_of(told) == "Here, ann."


async def test_lists_wait_for_an_offer_no_longer_than_the_settings_say() -> None:
    with endpoint(info=SILENT) as remote:
        async with opened(settings=remote.settings(offer_seconds=0.05)) as sextant:
            async with asyncio.timeout(60):
                assert [one.name for one in await sextant.copilot.agents(ANN)] == ["default"]
                *_, lab = await sextant.copilot.parts(ANN, tried=True)
            assert "took longer than 0.05 s" in lab.fault


async def test_an_offer_that_is_old_is_used_until_the_next_one_is_there() -> None:
    answers = [said(INFO), SILENT]
    clock = [0.0]
    with served(lambda _: answers.pop(0)) as server:
        settings = remote_settings(server.url, offer_seconds=600)
        async with _known(settings, clock) as remotes, asyncio.timeout(60):
            await remotes.refresh()
            clock[0] = 31.0
            await remotes.refresh()
            assert list(remotes.agents()) == ["research"]
            assert remotes.actions().keys() == {"lookup", "boom"}


async def test_who_names_an_agent_that_is_not_known_waits_for_a_new_offer() -> None:
    infos = [said(INFO), said(OTHERS)]
    clock = [0.0]
    with served(lambda _: infos.pop(0)) as server:
        async with _known(remote_settings(server.url), clock) as remotes:
            await remotes.find("scout")
            assert list(remotes.agents()) == ["research"]
            clock[0] = 31.0
            await remotes.find("research")
            await remotes.find("scout")
            assert list(remotes.agents()) == ["scout"]
    assert infos == []


async def test_a_remote_that_is_down_is_warned_of_once_in_a_while(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = [0.0]
    with endpoint(info=said({}, 503)) as remote:
        async with _known(remote.settings(), clock) as remotes:
            for _ in range(3):
                await remotes.refresh()
                await remotes.find("research")
            assert _warnings(caplog) == 1
            clock[0] = 31.0
            await remotes.find("research")
            assert _warnings(caplog) == 2


async def test_headers_that_cannot_be_made_are_a_fault_of_that_remote(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(_: object) -> dict[str, str]:
        raise KeyError("team")

    with endpoint() as remote:
        async with opened(settings=remote.settings()) as sextant:
            sextant.copilot.register(clerk)
            sextant.copilot.add_remote_headers(fails)
            assert text_of(await events_of(sextant.copilot, request(agent="clerk")))
            with pytest.raises(AgentNotFound, match="research"):
                await sextant.copilot.start(ANN, request(agent="research"))
    assert "KeyError" in caplog.text


def _warnings(caplog: pytest.LogCaptureFixture) -> int:
    return sum(one.levelno == logging.WARNING for one in caplog.records)
