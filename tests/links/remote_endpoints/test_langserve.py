"""Chains of LangServe that do not do what they should: each is a failed action, and no more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sextant.testing.scripted import Scripted
from sextant.types import ActionReturned, RunFinished
from tests.chat.running import ANN, events_of, only, opened, request
from tests.chat.test_actions import calls
from tests.links.remote_endpoints.agui_agent import kind_settings
from tests.loopback import Answer, Request, answering

_SCHEMA = {"type": "array", "items": {"$ref": "#/$defs/Word"}, "$defs": {"Word": {}}}


@contextmanager
def _chain(invoked: Answer, schema: Any = _SCHEMA) -> Iterator[tuple[str, list[Request]]]:
    heard: list[Request] = []

    def answer(asked: Request) -> Answer:
        heard.append(asked)
        if (asked.method, asked.path) == ("GET", "/words/input_schema"):
            return Answer(body=json.dumps(schema).encode())
        return invoked if (asked.method, asked.path) == ("POST", "/words/invoke") else Answer(404)

    with answering(answer) as url:
        yield f"{url}/words/", heard


async def test_a_chain_that_takes_no_object_is_given_its_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SEXTANT_CHAT_REMOTES_WORDS_TOKEN", "sesame-0123456789")
    model = Scripted(calls("words", '{"input":["a","b"]}'))
    with _chain(Answer(body=b'{"output": 2}')) as (url, heard):
        async with opened(model, kind_settings("langserve", url, "words")) as sextant:
            events = await events_of(sextant.copilot, request("go"))
    assert only(events, ActionReturned)[0].result == "2"
    assert json.loads(heard[-1].body)["input"] == ["a", "b"]
    assert {one.headers["authorization"] for one in heard} == {"Bearer sesame-0123456789"}
    given = model.prompts[0].tools[0].parameters
    assert given["required"] == ["input"]
    assert given["$defs"] == {"Word": {}}


@pytest.mark.parametrize(
    ("invoked", "why"),
    [
        (Answer(body=b'{"result": 2}'), "without an output"),
        (Answer(body=b"[1]"), "something else than an object"),
        (Answer(body=b"<html>"), "something else than an object"),
        (Answer(500, b"Internal Server Error"), "status 500"),
        (Answer(422, b'{"detail": "no word"}'), "no word"),
        (Answer(body=b"x" * (1 << 20), pieces=17), "16,777,216 bytes"),
        (Answer(body=None), "took longer"),
    ],
)
async def test_a_chain_that_fails_is_a_failed_action(invoked: Answer, why: str) -> None:
    model = Scripted(calls("words", '{"input":[]}'))
    with _chain(invoked) as (url, _):
        settings = kind_settings("langserve", url, "words", action_seconds=0.5)
        async with opened(model, settings) as sextant:
            events = await events_of(sextant.copilot, request("go"))
    result = only(events, ActionReturned)[0].result
    assert "HANDLER_ERROR" in result
    assert why in result or "0.5" in result
    assert isinstance(events[-1], RunFinished)


async def test_a_schema_that_is_none_offers_nothing() -> None:
    with _chain(Answer(), schema=[]) as (url, _):
        async with opened(settings=kind_settings("langserve", url, "words")) as sextant:
            parts = await sextant.copilot.parts(ANN, tried=True)
    [remote] = [one for one in parts if one.name == "words"]
    assert "something else than an object" in remote.fault
