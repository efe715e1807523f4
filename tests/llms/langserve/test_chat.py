from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import (
    BrokenStream,
    ConfigError,
    ModelAuthentication,
    ModelError,
    ModelNotFound,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
)
from sextant.llms.langserve.chat import open_model
from sextant.llms.langserve.replies import Reading
from sextant.settings import HTTP_KEY_VARIABLE, Settings
from sextant.testing.chat_model_suite.prompts import COLOUR, HELLO, PIXEL, WEATHER
from sextant.types import Image, Message, Prompt, Reason, Speaker, TextDelta, Usage
from tests.llms import vendors
from tests.llms.servers import langserve
from tests.llms.servers.http import RIGHT_KEY, Fault
from tests.llms.servers.langserve import LangServeServer
from tests.llms.vendors import COUNT, NUMBERS, Open


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LangServeServer]:
    monkeypatch.delenv(HTTP_KEY_VARIABLE, raising=False)
    with LangServeServer() as server:
        yield server


def at(server: LangServeServer, path: str = "/chat") -> Open:
    return lambda settings: open_model(f"{server.url}{path}", settings)


def sent(server: LangServeServer, prompt: Prompt, path: str = "/chat") -> Any:
    vendors.reply(at(server, path), prompt)
    return server.requests[-1].json


def test_every_role_finds_its_place(server: LangServeServer) -> None:
    assert sent(server, Prompt(vendors.TALK)) == {
        "input": [
            {"type": "system", "content": "Be brief."},
            {"type": "system", "content": "Be kind."},
            {"type": "human", "content": "First."},
            {"type": "human", "content": "Second."},
            {"type": "ai", "content": "I look."},
            {"type": "tool", "content": "Snow.", "tool_call_id": "a"},
            {"type": "tool", "content": "Noon.", "tool_call_id": "b"},
            {"type": "human", "content": "And now?"},
        ],
        "config": {},
        "kwargs": {},
    }


def test_key_file_is_for_the_model_that_is_set_alone(
    server: LangServeServer, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text(RIGHT_KEY)
    file.chmod(0o600)
    rest = f"{server.url}/chat"

    def told(llm: str) -> str | None:
        model = replace(Settings().model, key_file=str(file))
        chosen = replace(Settings(), llm=llm, model=model)
        vendors.reply(lambda _: open_model(rest, chosen), HELLO)
        return server.requests[-1].headers.get("authorization")

    assert told(f"langserve:{rest}") == f"Bearer {RIGHT_KEY}"
    assert told("openai:gpt") is None


def test_messages_go_under_the_name_that_the_address_names(server: LangServeServer) -> None:
    body = sent(server, HELLO, "/keyed/#messages")
    assert body["input"] == {"messages": [{"type": "human", "content": HELLO.messages[0].text}]}


def test_runnable_that_wants_another_input_rejects_it(server: LangServeServer) -> None:
    error, _ = vendors.failure(at(server, "/keyed"))
    assert isinstance(error, ModelRejected)


def test_images_go_as_addresses(server: LangServeServer) -> None:
    images = (Image("image/png", PIXEL), Image(url="https://example.org/a.png"))
    content = sent(server, Prompt((Message(Speaker.USER, "What is this?", images),)))["input"][0]
    inline = f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"
    assert content["content"] == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": inline}},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    ]


def test_schema_is_asked_for_in_words(server: LangServeServer) -> None:
    last = sent(server, COLOUR)["input"][-1]
    assert last["type"] == "human"
    assert '"enum": ["red", "green", "blue"]' in last["content"]


def test_tools_are_rejected_before_anything_is_sent(server: LangServeServer) -> None:
    error, _ = vendors.failure(at(server), WEATHER)
    assert isinstance(error, ModelRejected)
    assert not server.requests


@pytest.mark.parametrize("path", ["/chat", "/text", "/lines", "/invoked", "/chain"])
def test_pieces_of_any_shape_make_the_reply(server: LangServeServer, path: str) -> None:
    reply = vendors.reply(at(server, path), COUNT)
    assert reply.text == NUMBERS
    assert reply.ended.reason == Reason.STOP
    assert reply.ended.model


def test_pieces_without_text_are_rejected(server: LangServeServer) -> None:
    error, _ = vendors.failure(at(server, "/strange"))
    assert isinstance(error, ModelRejected)
    assert "output parser" in error.hint


def test_what_is_said_about_the_reply_is_told(server: LangServeServer) -> None:
    ended = vendors.reply(at(server), HELLO).ended
    assert ended.usage == Usage(6, 9)
    assert ended.model == langserve.MODEL


def test_refusal_is_a_reason() -> None:
    reading = Reading("model", ())
    reading.take({"content": "No.", "response_metadata": {"finish_reason": "content_filter"}})
    assert reading.ended().reason == Reason.REFUSED


def test_runnable_that_is_not_there_is_not_found(server: LangServeServer) -> None:
    error, _ = vendors.failure(at(server, "/nowhere"))
    assert isinstance(error, ModelNotFound)
    assert [one.path for one in server.requests] == ["/nowhere/stream", "/nowhere/invoke"]


@pytest.mark.parametrize(("fault", "wanted"), vendors.FAULTS)
def test_fault_becomes_an_error_of_ours(
    server: LangServeServer, fault: Fault | int, wanted: type[ModelError]
) -> None:
    server.fault = fault
    error, said = vendors.failure(at(server))
    assert type(error) is wanted
    assert error.hint
    assert wanted is not ModelAuthentication or "SEXTANT_HTTP_KEY" in error.hint
    assert bool(said) == (fault in (Fault.CUT, Fault.SHORT, Fault.JUNK, Fault.ERROR))
    assert all(isinstance(one, TextDelta) for one in said)


@pytest.mark.parametrize("fault", [Fault.PAGE, Fault.NO_REPLY, Fault.CUT, Fault.JUNK])
@pytest.mark.parametrize("path", ["/lines", "/invoked"])
def test_fault_without_events_is_noticed_too(
    server: LangServeServer, path: str, fault: Fault
) -> None:
    server.fault = fault
    error, _ = vendors.failure(at(server, path))
    assert type(error) is BrokenStream


def test_provider_says_how_long_to_wait(server: LangServeServer) -> None:
    server.fault, server.error_headers = 429, {"retry-after": "17"}
    error, _ = vendors.failure(at(server))
    assert isinstance(error, ModelRateLimited)
    assert error.retry_after == 17


def test_silence_is_given_up(server: LangServeServer) -> None:
    server.fault = Fault.HANG
    error, _ = vendors.failure(at(server), settings=vendors.impatient(Settings()))
    assert isinstance(error, ModelTimeout)


def test_closing_the_reply_closes_the_socket(server: LangServeServer) -> None:
    assert vendors.left_early(at(server), server)


def test_cancelling_the_reader_closes_the_socket(server: LangServeServer) -> None:
    assert vendors.cancelled(at(server), server)


def test_stop_word_closes_the_socket(server: LangServeServer) -> None:
    server.fault = Fault.HANG
    reply = vendors.reply(at(server), replace(COUNT, stop=("two",)))
    assert reply.text == "one, "
    assert server.left.wait(30)


def test_what_only_looked_like_a_stop_word_is_told_at_the_end(server: LangServeServer) -> None:
    assert vendors.reply(at(server), replace(COUNT, stop=("tent",))).text == NUMBERS


@pytest.mark.parametrize(
    "rest",
    ["", "host/chain", "ftp://host/chain", "http://", "http://me:secret@host/chain", "http://[::1"],
)
def test_what_is_no_address_is_refused_and_not_repeated(rest: str) -> None:
    with pytest.raises(ConfigError, match="langserve:http") as caught:
        open_model(rest, Settings())
    assert "secret" not in str(caught.value)


@given(
    st.lists(st.text("abc", max_size=4), max_size=8),
    st.lists(st.text("abc", min_size=1, max_size=3), max_size=3).map(tuple),
)
def test_reply_is_cut_at_the_first_stop_word_however_it_is_split(
    pieces: list[str], stop: tuple[str, ...]
) -> None:
    reading, told = Reading("model", stop), ""
    for piece in pieces:
        told += reading.take(piece)
        if reading.is_stopped:
            break
    told += reading.rest()
    text = "".join(pieces)
    whole = min((text.partition(one)[0] for one in stop), key=len, default=text)
    # A shorter word may end before a longer one that began earlier.
    assert text.startswith(told)
    assert not any(one in told for one in stop)
    assert len(told) >= len(whole)


@given(st.lists(st.text("ab ", max_size=3), max_size=8))
def test_without_stop_words_nothing_is_held_back(pieces: list[str]) -> None:
    reading = Reading("model", ())
    assert [reading.take(piece) for piece in pieces] == pieces
    assert reading.rest() == ""
