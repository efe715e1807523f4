"""Events of use: what is told of runs, to a server that is there, slow, refuses or dies."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from sextant.chat.analytics.batches import UsageEvents
from sextant.chat.context import RunContext
from sextant.chat.function_agent import agent
from sextant.links.analytics.http_sink import open_analytics
from sextant.settings import ANALYTICS_KEY_VARIABLE, AnalyticsSettings, Settings
from sextant.testing.scripted import Scripted
from sextant.types import RunFinished, RunKind, RunReport, Usage
from tests.chat.running import PLAIN, events_of, opened, request
from tests.links.http_server import Served, served
from tests.loopback import Answer

_REPORT = RunReport("chat", "finished", "", 1.5, 0.25, Usage(3, 4), 2, 1)
_FAILED = replace(_REPORT, outcome="failed", code="model_unreachable", first_text_seconds=None)


def _set(endpoint: str, **rules: float) -> Settings:
    return replace(PLAIN, analytics=AnalyticsSettings(endpoint, **rules))  # type: ignore[arg-type]


@asynccontextmanager
async def _sending(
    settings: Settings, chance: Callable[[], float] = lambda: 0.0
) -> AsyncIterator[UsageEvents]:
    """Open what sends events, with pauses that are over at once; at the end all is sent."""

    async def pause(_: float) -> None:
        return None

    sink = open_analytics(settings)
    usage = UsageEvents(sink, settings.analytics, chance, pause)
    try:
        yield usage
        await usage.close()
    finally:
        await sink.close()


def _events(server: Served) -> list[dict[str, object]]:
    return [one for heard in server.heard for one in heard.body["events"]]


async def test_runs_are_told_in_numbers_and_codes_and_never_in_words() -> None:
    @agent
    async def broken(_: RunContext) -> str:
        raise RuntimeError("secret words of a failure")

    with served(lambda _: Answer()) as server:
        async with opened(Scripted(lambda _: "secret reply"), _set(server.url)) as sextant:
            sextant.copilot.register(broken)
            await events_of(sextant.copilot, request("secret question"))
            await events_of(sextant.copilot, request("secret question", agent="broken"))
    usage, error = _events(server)
    assert usage["event"] == "usage"
    assert usage["kind"] == RunKind.CHAT.value
    assert {"at", "outcome", "seconds", "messages", "actions", "tokensRead"} <= usage.keys()
    assert (error["event"], error["outcome"], error["code"]) == ("error", "failed", "internal")
    assert "secret" not in json.dumps([one.body for one in server.heard])


async def test_nothing_is_sent_unless_an_address_is_set() -> None:
    with served(lambda _: Answer()) as server:
        async with opened(Scripted(lambda _: "Hello."), PLAIN) as sextant:
            await events_of(sextant.copilot, request())
    assert server.heard == []


async def test_events_come_in_batches_and_the_rest_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(ANALYTICS_KEY_VARIABLE, "ck_pub_counts")
    with served(lambda _: Answer()) as server:
        async with _sending(_set(f"{server.url}/events", batch=2, batch_seconds=3_600)) as usage:
            for _ in range(5):
                usage.hear(_REPORT)
    assert [len(one.body["events"]) for one in server.heard] == [2, 2, 1]
    assert {one.path for one in server.heard} == {"/events"}
    headers = {name.lower(): value for name, value in server.heard[0].headers.items()}
    assert headers["x-copilotcloud-public-api-key"] == "ck_pub_counts"


async def test_only_the_share_that_is_set_is_told() -> None:
    draws = iter([0.1, 0.6, 0.2, 0.9])
    with served(lambda _: Answer()) as server:
        async with _sending(_set(server.url, sample=0.5), lambda: next(draws)) as usage:
            for _ in range(4):
                usage.hear(_REPORT)
    assert len(_events(server)) == 2


async def test_a_batch_is_sent_again_to_a_server_that_fails_for_a_while() -> None:
    answers = iter([Answer(503), Answer(429), Answer(promised=10), Answer(202)])
    with served(lambda _: next(answers)) as server:
        async with _sending(_set(server.url, batch=1, retries=3)) as usage:
            usage.hear(_FAILED)
    assert len(server.heard) == 4
    assert len({json.dumps(one.body) for one in server.heard}) == 1


@pytest.mark.parametrize(
    ("answer", "calls", "why"),
    [
        (Answer(503), 2, "answered with status 503"),
        (Answer(401), 1, "refuse the events"),
        (Answer(body=None), 2, "did not answer in time"),
    ],
)
async def test_what_is_not_taken_is_dropped_and_the_log_says_so(
    answer: Answer, calls: int, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    with served(lambda _: answer) as server:
        async with _sending(_set(server.url, batch=1, retries=1, seconds=0.05)) as usage:
            usage.hear(_REPORT)
    assert len(server.heard) == calls
    assert "1 events for" in caplog.text
    assert why in caplog.text


async def test_runs_go_on_while_nobody_takes_the_events(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    settings = _set("http://127.0.0.1:9/events", batch=1, retries=0)
    async with opened(Scripted(lambda _: "Hello."), settings) as sextant:
        for _ in range(3):
            events = await events_of(sextant.copilot, request())
            assert isinstance(events[-1], RunFinished)
    assert "cannot be reached" in caplog.text


async def test_more_than_may_wait_push_out_the_oldest(caplog: pytest.LogCaptureFixture) -> None:
    with served(lambda _: Answer()) as server:
        async with _sending(_set(server.url, waiting=3)) as usage:
            for number in range(5):
                usage.hear(replace(_REPORT, messages=number))
    assert [one["messages"] for one in _events(server)] == [2, 3, 4]
    assert "2 events for" in caplog.text
