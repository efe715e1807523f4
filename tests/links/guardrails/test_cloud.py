"""A guardrail behind HTTP, as CopilotKit's cloud has it: what is sent, and what comes back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from sextant.build import open_copilot_links, open_embedder
from sextant.errors import ConfigError, PeerError, PeerRefused, PeerUnreachable
from sextant.ports import Guardrail
from sextant.settings import GUARDRAILS_KEY_VARIABLE, GuardrailSettings, Settings
from sextant.types import GuardedInput, Speaker, TextMessage, TopicRules
from tests.links.http_server import Heard, served
from tests.loopback import Answer

_ASKED = GuardedInput(
    "And politics?",
    TopicRules(("weather",), ("politics",)),
    (TextMessage("u", Speaker.USER, "Hi"), TextMessage("a", Speaker.ASSISTANT, "Hello")),
    "ck_pub_test",
)


@asynccontextmanager
async def _opened(url: str, seconds: float = 10.0) -> AsyncIterator[Guardrail]:
    settings = Settings(embedder="tiny:", guardrails=GuardrailSettings((url,), seconds=seconds))
    embedder = open_embedder(settings)
    links = open_copilot_links(settings, embedder)
    (guardrail,) = links.guardrails
    try:
        yield guardrail
    finally:
        await links.close()
        await embedder.close()


def _says(**told: Any) -> Any:
    return lambda _: Answer(body=json.dumps(told).encode())


async def test_what_is_sent_is_what_the_node_runtime_sends() -> None:
    with served(_says(status="denied", reason="Topic 'politics' is not allowed.")) as server:
        async with _opened(server.url) as guardrail:
            verdict = await guardrail.check(_ASKED)
    assert (verdict.is_allowed, verdict.reason) == (False, "Topic 'politics' is not allowed.")
    (heard,) = server.heard
    assert heard.path == "/guardrails/validate"
    headers = {name.lower(): value for name, value in heard.headers.items()}
    assert headers["x-copilotcloud-public-api-key"] == "ck_pub_test"
    assert heard.body == {
        "input": "And politics?",
        "validTopics": ["weather"],
        "invalidTopics": ["politics"],
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
        ],
    }


async def test_the_key_of_this_server_goes_before_that_of_the_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(GUARDRAILS_KEY_VARIABLE, "ck_pub_of_the_server")
    with served(_says(status="allowed")) as server:
        async with _opened(server.url) as guardrail:
            assert (await guardrail.check(_ASKED)).is_allowed
    headers = {name.lower(): value for name, value in server.heard[0].headers.items()}
    assert headers["x-copilotcloud-public-api-key"] == "ck_pub_of_the_server"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(503), PeerUnreachable),
        (Answer(429), PeerUnreachable),
        (Answer(401, body=b'{"status":"allowed"}'), PeerRefused),
        (Answer(404), PeerRefused),
        (Answer(body=b"<html>"), PeerError),
        (Answer(body=b'{"status":"perhaps"}'), PeerError),
        (Answer(body=b'["allowed"]'), PeerError),
        (Answer(body=b" " * 100_000), PeerUnreachable),
    ],
)
async def test_only_a_clear_yes_is_one(answer: Answer, error: type[PeerError]) -> None:
    def answering(_: Heard) -> Answer:
        return answer

    with served(answering) as server:
        async with _opened(server.url) as guardrail:
            with pytest.raises(error) as raised:
                await guardrail.check(_ASKED)
    assert type(raised.value) is error
    assert "ck_pub_test" not in str(raised.value)


async def test_one_that_is_not_there_is_left_alone_after_a_while() -> None:
    with served(_says(status="allowed")) as server:
        url = server.url
    async with _opened(url) as guardrail:
        for _ in range(5):
            with pytest.raises(PeerUnreachable, match="cannot be reached"):
                await guardrail.check(_ASKED)
        with pytest.raises(PeerUnreachable, match="left alone"):
            await guardrail.check(_ASKED)


def test_an_address_that_is_none_is_refused_when_it_is_opened() -> None:
    settings = Settings(embedder="tiny:", guardrails=GuardrailSettings(("https:///nowhere",)))
    with pytest.raises(ConfigError, match="guardrail"):
        open_copilot_links(settings, open_embedder(settings))
