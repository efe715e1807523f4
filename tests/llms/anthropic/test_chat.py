from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import (
    ConfigError,
    ModelAuthentication,
    ModelError,
    ModelRateLimited,
    ModelTimeout,
)
from sextant.llms.anthropic.chat import open_model
from sextant.llms.anthropic.request import TOKENS, request_for
from sextant.ports import ChatModel
from sextant.prompting.reply import whole
from sextant.settings import Settings
from sextant.testing.chat_model_suite.prompts import (
    COLOUR,
    HELLO,
    PIXEL,
    WEATHER,
    WEATHER_TOLD,
    WEATHER_TOOL,
)
from sextant.types import (
    ANY_TOOL,
    NO_TOOL,
    Image,
    Message,
    Prompt,
    Reason,
    Schema,
    Speaker,
    TextDelta,
    ToolSpec,
    Usage,
)
from tests.llms import vendors
from tests.llms.servers import anthropic
from tests.llms.servers.anthropic import AnthropicServer
from tests.llms.servers.http import RIGHT_KEY, Fault


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[AnthropicServer]:
    with AnthropicServer() as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", RIGHT_KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


def opened(settings: Settings) -> ChatModel:
    return open_model(anthropic.MODEL, settings)


def sent(server: AnthropicServer, prompt: Prompt) -> dict[str, Any]:
    vendors.reply(opened, prompt)
    body: dict[str, Any] = server.requests[-1].json
    return body


def asking(*messages: Message, **more: Any) -> dict[str, Any]:
    return request_for("claude", Prompt(messages, **more))


def test_every_role_finds_its_place(server: AnthropicServer) -> None:
    tools = (WEATHER_TOOL, ToolSpec("clock", "Tells the time.", {}))
    body = sent(server, Prompt(vendors.TALK, tools))
    assert body["system"] == "Be brief.\n\nBe kind."
    assert body["messages"] == [
        {
            "role": "user",
            "content": [{"type": "text", "text": "First."}, {"type": "text", "text": "Second."}],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Oslo"}},
                {"type": "tool_use", "id": "b", "name": "clock", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "a",
                    "content": [{"type": "text", "text": "Snow."}],
                },
                {
                    "type": "tool_result",
                    "tool_use_id": "b",
                    "content": [{"type": "text", "text": "Noon."}],
                },
                {"type": "text", "text": "And now?"},
            ],
        },
    ]


def test_images_go_as_bytes_or_as_address(server: AnthropicServer) -> None:
    images = (Image("image/png", PIXEL), Image(url="https://example.org/a.png"))
    body = sent(server, Prompt((Message(Speaker.USER, "What is this?", images),)))
    assert [one.get("source") for one in body["messages"][0]["content"]] == [
        None,
        {
            "type": "base64",
            "media_type": "image/png",
            "data": base64.b64encode(PIXEL).decode(),
        },
        {"type": "url", "url": "https://example.org/a.png"},
    ]


def test_tools_go_with_their_schemas(server: AnthropicServer) -> None:
    body = sent(server, WEATHER)
    assert body["tools"][0] == {
        "name": "weather",
        "description": "Tells the weather in a city.",
        "input_schema": WEATHER_TOOL.parameters,
    }


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("auto", {"type": "auto"}),
        (NO_TOOL, {"type": "none"}),
        (ANY_TOOL, {"type": "any"}),
        ("clock", {"type": "tool", "name": "clock"}),
    ],
)
def test_choice_of_tools_is_told(choice: str, told: dict[str, str]) -> None:
    assert asking(tools=WEATHER.tools, tool_choice=choice)["tool_choice"] == told


def test_without_tools_there_is_no_choice_of_them() -> None:
    assert "tool_choice" not in asking(tool_choice=ANY_TOOL)


def test_temperature_which_the_api_has_no_more_is_not_sent(server: AnthropicServer) -> None:
    assert "temperature" not in sent(server, replace(HELLO, temperature=0.3))


def test_bounds_are_told(server: AnthropicServer) -> None:
    body = sent(server, replace(HELLO, max_tokens=17, stop=("END",)))
    assert (body["max_tokens"], body["stop_sequences"]) == (17, ["END"])
    assert sent(server, replace(HELLO, max_tokens=0))["max_tokens"] == TOKENS


def test_schema_is_told_as_far_as_the_api_enforces_it(server: AnthropicServer) -> None:
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "name": {"type": ["string", "null"]},
            "share": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["name", "share"],
    }
    body = sent(server, replace(COLOUR, schema=Schema("shares", schema)))
    assert body["output_config"]["format"] == {
        "type": "json_schema",
        "schema": {
            "type": "object",
            "properties": {
                "name": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "share": {"type": "number", "description": "{minimum: 0, maximum: 1}"},
            },
            "required": ["name", "share"],
            "additionalProperties": False,
        },
    }


def test_schema_without_a_type_goes_as_it_is() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"any": {}}, "required": ["any"]}
    request = asking(schema=Schema("any", schema))
    assert request["output_config"]["format"]["schema"] == schema


@given(st.lists(vendors.messages, max_size=6))
def test_turns_alternate_and_no_text_is_blank(messages: list[Message]) -> None:
    turns = asking(*messages)["messages"]
    roles = [turn["role"] for turn in turns]
    assert all(one != two for one, two in pairwise(roles))
    blocks = [block for turn in turns for block in turn["content"]]
    assert all(one["text"].strip() for one in blocks if one["type"] == "text")
    assert all(turn["content"] for turn in turns)
    json.dumps(turns)


def test_tokens_from_the_cache_are_among_those_read(server: AnthropicServer) -> None:
    ended = vendors.reply(opened, HELLO).ended
    assert ended.usage == Usage(6 + 3 + 2, 9, 3)
    assert ended.model == anthropic.MODEL
    assert server.requests


def test_arguments_come_in_pieces_and_are_an_object_even_if_there_are_none(
    server: AnthropicServer,
) -> None:
    assert vendors.reply(opened, WEATHER).calls[0].arguments == '{"city": "Oslo"}'
    clock = replace(WEATHER, tool_choice="clock")
    assert vendors.reply(opened, clock).calls[0].arguments == "{}"
    assert vendors.reply(opened, WEATHER_TOLD).ended.reason == Reason.STOP
    assert len(server.requests) == 3


def test_refusal_is_a_reason_and_no_error(server: AnthropicServer) -> None:
    prompt = Prompt((Message(Speaker.USER, "Something forbidden."),))
    assert vendors.reply(opened, prompt).ended.reason == Reason.REFUSED
    assert server.requests


@pytest.mark.parametrize(("fault", "wanted"), vendors.FAULTS)
def test_fault_becomes_an_error_of_ours(
    server: AnthropicServer, fault: Fault | int, wanted: type[ModelError]
) -> None:
    server.fault = fault
    error, said = vendors.failure(opened)
    assert type(error) is wanted
    assert error.hint
    assert wanted is not ModelAuthentication or "ANTHROPIC_API_KEY" in error.hint
    assert bool(said) == (fault in (Fault.CUT, Fault.SHORT, Fault.JUNK, Fault.ERROR))
    assert all(isinstance(one, TextDelta) for one in said)
    assert len(server.requests) == 1, "The SDK must not try again by itself."


def test_a_redirect_carries_no_prompt_anywhere(server: AnthropicServer) -> None:
    server.fault, server.error_headers = 307, {"location": "/elsewhere"}
    vendors.failure(opened)
    assert len(server.requests) == 1


def test_provider_says_how_long_to_wait(server: AnthropicServer) -> None:
    server.fault, server.error_headers = 429, {"retry-after": "17"}
    error, _ = vendors.failure(opened)
    assert isinstance(error, ModelRateLimited)
    assert error.retry_after == 17


def test_what_the_provider_says_is_told(server: AnthropicServer) -> None:
    server.fault = 400
    assert "as the test wants it" in vendors.failure(opened)[0].message


def test_silence_is_given_up(server: AnthropicServer) -> None:
    server.fault = Fault.HANG
    error, _ = vendors.failure(opened, settings=vendors.impatient(Settings()))
    assert isinstance(error, ModelTimeout)


def test_closing_the_reply_closes_the_socket(server: AnthropicServer) -> None:
    assert vendors.left_early(opened, server)


def test_cancelling_the_reader_closes_the_socket(server: AnthropicServer) -> None:
    assert vendors.cancelled(opened, server)


def test_model_goes_on_after_a_fault(server: AnthropicServer) -> None:
    async def again() -> str:
        model = opened(Settings())
        server.fault = 500
        with pytest.raises(ModelError):
            await whole(model, HELLO)
        server.fault = Fault.NONE
        said = (await whole(model, HELLO)).text
        await model.close()
        return said

    assert asyncio.run(again()).startswith("Hello!")


def test_model_has_to_be_named() -> None:
    with pytest.raises(ConfigError, match="anthropic:MODEL"):
        open_model(" ", Settings())


def test_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ModelAuthentication, match="ANTHROPIC_API_KEY"):
        opened(Settings())
