from __future__ import annotations

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
    BrokenStream,
    ConfigError,
    ModelAuthentication,
    ModelError,
    ModelRateLimited,
    ModelTimeout,
)
from sextant.llms.gemini.chat import open_model
from sextant.llms.gemini.request import SKIPPED, contents_for
from sextant.ports import ChatModel
from sextant.prompting.reply import whole
from sextant.settings import Settings
from sextant.testing.chat_model_suite.prompts import COLOUR, HELLO, PIXEL, WEATHER, WEATHER_TOLD
from sextant.types import (
    ANY_TOOL,
    NO_TOOL,
    Image,
    Message,
    Prompt,
    Reason,
    Reply,
    Speaker,
    TextDelta,
    ToolSpec,
    Usage,
)
from tests.llms import vendors
from tests.llms.servers import gemini
from tests.llms.servers.gemini import GeminiServer
from tests.llms.servers.http import RIGHT_KEY, Answer, Fault, Request


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeminiServer]:
    with GeminiServer() as server:
        monkeypatch.setenv("GEMINI_API_KEY", RIGHT_KEY)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        yield server


def opened(settings: Settings) -> ChatModel:
    return open_model(gemini.MODEL, settings)


def opened_older(settings: Settings) -> ChatModel:
    return open_model(gemini.OLDER_MODEL, settings)


def sent(server: GeminiServer, prompt: Prompt) -> dict[str, Any]:
    vendors.reply(opened, prompt)
    body: dict[str, Any] = server.requests[-1].json
    return body


def test_every_role_finds_its_place(server: GeminiServer) -> None:
    tools = (WEATHER.tools[0], ToolSpec("clock", "Tells the time.", {"type": "object"}))
    body = sent(server, Prompt(vendors.TALK, tools))
    above = [part["text"] for part in body["systemInstruction"]["parts"]]
    assert above == ["Be brief.\n\nBe kind."]
    assert [turn["role"] for turn in body["contents"]] == ["user", "model", "user"]
    first, second, third = (turn["parts"] for turn in body["contents"])
    assert first == [{"text": "First."}, {"text": "Second."}]
    assert second[0] == {"text": "I look."}
    assert second[1]["functionCall"] == {"id": "a", "name": "weather", "args": {"city": "Oslo"}}
    assert second[2]["functionCall"] == {"id": "b", "name": "clock", "args": {}}
    assert [one.get("functionResponse") for one in third] == [
        {"id": "a", "name": "weather", "response": {"output": "Snow."}},
        {"id": "b", "name": "clock", "response": {"output": "Noon."}},
        None,
    ]
    assert third[2] == {"text": "And now?"}


def test_images_go_as_bytes_or_as_address(server: GeminiServer) -> None:
    images = (Image("image/png", PIXEL), Image("image/png", url="https://example.org/a.png"))
    body = sent(server, Prompt((Message(Speaker.USER, "What is this?", images),)))
    _, inline, linked = body["contents"][0]["parts"]
    assert base64.urlsafe_b64decode(inline["inlineData"]["data"]) == PIXEL
    assert linked["fileData"] == {
        "file_uri": "https://example.org/a.png",
        "mime_type": "image/png",
    }


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("auto", {"mode": "AUTO"}),
        (NO_TOOL, {"mode": "NONE"}),
        (ANY_TOOL, {"mode": "ANY"}),
        ("clock", {"mode": "ANY", "allowedFunctionNames": ["clock"]}),
    ],
)
def test_choice_of_tools_is_told(server: GeminiServer, choice: str, told: dict[str, Any]) -> None:
    body = sent(server, replace(WEATHER, tool_choice=choice))
    assert body["toolConfig"]["functionCallingConfig"] == told
    assert [one["name"] for one in body["tools"][0]["functionDeclarations"]] == ["weather", "clock"]


def test_bounds_and_schema_are_told(server: GeminiServer) -> None:
    body = sent(server, replace(COLOUR, max_tokens=17, stop=("END",), temperature=0.5))
    assert COLOUR.schema is not None
    assert body["generationConfig"] == {
        "temperature": 0.5,
        "maxOutputTokens": 17,
        "stopSequences": ["END"],
        "responseMimeType": "application/json",
        "responseJsonSchema": COLOUR.schema.schema,
    }
    assert not sent(server, Prompt(HELLO.messages)).get("generationConfig")


@given(st.lists(vendors.messages, max_size=6))
def test_turns_alternate_and_none_is_empty(messages: list[Message]) -> None:
    turns = contents_for(gemini.MODEL, Prompt(tuple(messages)), {})
    assert all(one.role != two.role for one, two in pairwise(turns))
    assert all(turn.parts for turn in turns)


def test_signature_of_a_call_is_given_back(server: GeminiServer) -> None:
    async def two_rounds(model: ChatModel) -> Reply:
        called = await whole(model, WEATHER)
        result = Message(Speaker.TOOL, "Snow.", call_id=called.calls[0].id)
        asked = Message(Speaker.ASSISTANT, called.text, calls=called.calls)
        return await whole(model, replace(WEATHER, messages=(*WEATHER.messages, asked, result)))

    vendors.used(opened, two_rounds)
    part = server.requests[-1].json["contents"][1]["parts"][0]
    assert base64.urlsafe_b64decode(part["thoughtSignature"]) == b"signed by the model"


def test_call_of_another_model_is_marked_as_such(server: GeminiServer) -> None:
    parts = sent(server, WEATHER_TOLD)["contents"][1]["parts"]
    assert base64.urlsafe_b64decode(parts[0]["thoughtSignature"]) == SKIPPED
    assert "thoughtSignature" not in parts[1]


def test_older_models_get_no_signatures(server: GeminiServer) -> None:
    vendors.reply(opened_older, WEATHER_TOLD)
    parts = server.requests[-1].json["contents"][1]["parts"]
    assert not any("thoughtSignature" in part for part in parts)


def test_calls_without_an_id_get_one_each(server: GeminiServer) -> None:
    first = vendors.reply(opened_older, WEATHER).calls[0]
    second = vendors.reply(opened_older, WEATHER).calls[0]
    assert first.id
    assert first.id != second.id
    assert len(server.requests) == 2


def test_thoughts_are_counted_and_not_told(server: GeminiServer) -> None:
    reply = vendors.reply(opened, HELLO)
    assert "Let me see." not in reply.text
    assert reply.ended.usage == Usage(6 + 3, 9 + 5, 3)
    assert reply.ended.model == gemini.MODEL
    assert server.requests


@pytest.mark.parametrize("text", ["Something forbidden.", "Something blocked."])
def test_filtered_reply_or_prompt_is_refused(server: GeminiServer, text: str) -> None:
    prompt = Prompt((Message(Speaker.USER, text),))
    assert vendors.reply(opened, prompt).ended.reason == Reason.REFUSED
    assert server.requests


@pytest.mark.parametrize(("fault", "wanted"), vendors.FAULTS)
def test_fault_becomes_an_error_of_ours(
    server: GeminiServer, fault: Fault | int, wanted: type[ModelError]
) -> None:
    server.fault = fault
    error, said = vendors.failure(opened)
    assert type(error) is wanted
    assert error.hint
    assert wanted is not ModelAuthentication or "GEMINI_API_KEY" in error.hint
    assert bool(said) == (fault in (Fault.CUT, Fault.SHORT, Fault.JUNK, Fault.ERROR))
    assert all(isinstance(one, TextDelta) for one in said)
    assert len(server.requests) == 1, "The SDK must not try again by itself."


class Reasoning(GeminiServer):
    """Ends every reply for the same reason, or sends something odd."""

    sends: Any = None

    def answer(self, request: Request) -> Answer:  # noqa: ARG002
        return Answer(200, {}, [f"data: {json.dumps(self.sends)}\n\n".encode()])


@pytest.mark.parametrize(
    "odd",
    [
        {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]},
        {"candidates": [{"finishReason": "OTHER"}]},
        {"candidates": "none"},
        {"error": {"message": "without a code"}},
        ["a list"],
        "a text",
        17,
        None,
        {},
    ],
)
def test_reply_that_cannot_be_used_is_broken(monkeypatch: pytest.MonkeyPatch, odd: Any) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", RIGHT_KEY)
    with Reasoning() as server:
        server.sends = odd
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        error, _ = vendors.failure(opened)
    assert type(error) is BrokenStream


def test_reply_that_wants_to_go_on_is_cut_and_not_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", RIGHT_KEY)
    with Reasoning() as server:
        candidate = {"content": {"role": "model", "parts": [{"text": "Half"}]}}
        more = {"finishReason": "CONTINUATION", "continuationToken": "dG9rZW4="}
        server.sends = {"candidates": [{**candidate, **more}]}
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        reply = vendors.reply(opened, HELLO)
    assert (reply.text, reply.ended.reason) == ("Half", Reason.LENGTH)
    assert len(server.requests) == 1


def test_a_redirect_carries_no_prompt_anywhere(server: GeminiServer) -> None:
    server.fault, server.error_headers = 307, {"location": "/elsewhere"}
    vendors.failure(opened)
    assert len(server.requests) == 1


@pytest.mark.parametrize("wait", ["header", "details"])
def test_provider_says_how_long_to_wait(server: GeminiServer, wait: str) -> None:
    server.fault = 429
    server.error_headers = {"retry-after": "17"} if wait == "header" else {}
    server.retry_delay = "17s" if wait == "details" else ""
    error, _ = vendors.failure(opened)
    assert isinstance(error, ModelRateLimited)
    assert error.retry_after == 17


def test_silence_is_given_up(server: GeminiServer) -> None:
    server.fault = Fault.HANG
    error, _ = vendors.failure(opened, settings=vendors.impatient(Settings()))
    assert isinstance(error, ModelTimeout)


def test_closing_the_reply_closes_the_socket(server: GeminiServer) -> None:
    assert vendors.left_early(opened, server)


def test_cancelling_the_reader_closes_the_socket(server: GeminiServer) -> None:
    assert vendors.cancelled(opened, server)


def test_model_has_to_be_named() -> None:
    with pytest.raises(ConfigError, match="gemini:MODEL"):
        open_model("", Settings())


def test_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    with pytest.raises(ModelAuthentication, match="GEMINI_API_KEY or GOOGLE_API_KEY"):
        opened(Settings())


def test_other_variable_of_the_key_is_read(
    server: GeminiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    monkeypatch.setenv("GOOGLE_API_KEY", RIGHT_KEY)
    assert vendors.reply(opened, HELLO).text
    assert server.requests
