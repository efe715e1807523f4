"""A model over the wire: what is said in other words, what is not sent, and who hangs up."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from sextant.errors import (
    BrokenStream,
    ConfigError,
    ModelAuthentication,
    ModelError,
    ModelNotFound,
    ModelRateLimited,
    ModelRefused,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
)
from sextant.llms.compatible import chat as http_chat
from sextant.llms.openai import chat as openai_chat
from sextant.ports import ChatModel
from sextant.prompting.reply import whole
from sextant.settings import ModelSettings, Settings
from sextant.testing.chat_model_suite import prompts as asked
from sextant.testing.fault_server import server as fault_server
from sextant.testing.fault_server.deeds import DEEDS, Deed, Exchange
from sextant.testing.fault_server.server import FaultServer
from sextant.types import Message, Prompt, Reason, Speaker, ToolCall
from tests.peers.fixtures import Aimock

KEY = "sk-fault-0123456789-wxyz"
Talk = Callable[[ChatModel, FaultServer], Awaitable[Any]]


def say(text: str) -> Prompt:
    return Prompt((Message(Speaker.USER, text),))


def at(server: FaultServer, rest: str = "#any", **settings: Any) -> ChatModel:
    model = ModelSettings(**settings)
    return http_chat.open_model(server.url.removeprefix("http:") + rest, Settings(model=model))


def talk(deeds: tuple[str | Deed, ...], task: Talk, rest: str = "#any", **settings: Any) -> Any:
    async def run() -> Any:
        async with FaultServer(*deeds) as server:
            model = at(server, rest, **settings)
            try:
                return await task(model, server)
            finally:
                await model.close()

    return asyncio.run(run())


def failure(*deeds: str | Deed, **settings: Any) -> ModelError:
    with pytest.raises(ModelError) as raised:
        talk(deeds, lambda model, _: whole(model, asked.HELLO), **settings)
    return raised.value


def refuses(word: str, code: str | None = "unsupported_parameter") -> Deed:
    """Refuse a request that has this word in it; take any other."""
    message = f"Unsupported parameter: '{word}' is not supported with this model."
    error = {"message": message, "type": "invalid_request_error"}
    if code:
        error |= {"param": word, "code": code}

    async def deed(exchange: Exchange) -> None:
        if word in exchange.body:
            await exchange.tell(400, json.dumps({"error": error}))
        else:
            await DEEDS["fine"](exchange)

    return deed


@pytest.mark.parametrize("word", ["temperature", "max_tokens", "stream_options"])
@pytest.mark.parametrize("code", ["unsupported_parameter", "unsupported_value", None])
def test_what_a_model_does_not_take_is_left_out_and_not_tried_again(
    word: str, code: str | None
) -> None:
    async def twice(model: ChatModel, server: FaultServer) -> list[bool]:
        for _ in range(2):
            await whole(model, replace(asked.HELLO, temperature=0.0, max_tokens=5))
        return [word in one.body for one in server.chats]

    assert talk((refuses(word, code),), twice) == [True, False, False]


def test_limit_that_is_refused_is_given_under_its_other_name() -> None:
    async def ask(model: ChatModel, server: FaultServer) -> Any:
        await whole(model, asked.HELLO)
        return server.chats[-1].body["max_completion_tokens"]

    assert talk((refuses("max_tokens"),), ask) == asked.HELLO.max_tokens


def test_server_that_refuses_both_names_is_not_asked_for_ever() -> None:
    async def deed(exchange: Exchange) -> None:
        word = next(one for one in exchange.body if one.startswith("max_"))
        await refuses(word)(exchange)

    async def ask(model: ChatModel, server: FaultServer) -> int:
        with pytest.raises(ModelRejected):
            await whole(model, asked.HELLO)
        return len(server.chats)

    assert talk((deed,), ask) == 2


def test_calls_that_are_refused_at_the_same_time_all_find_other_words() -> None:
    async def together(model: ChatModel, _: FaultServer) -> int:
        return len(await asyncio.gather(*(whole(model, asked.HELLO) for _ in range(4))))

    assert talk((refuses("max_tokens"),), together) == 4


def test_nothing_that_is_meant_for_openai_is_sent_to_a_stranger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-0123456789")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-secret: yes\nauthorization: Bearer hidden")

    async def ask(model: ChatModel, server: FaultServer) -> list[dict[str, str]]:
        await whole(model, asked.HELLO)
        return [dict(one.headers) for one in server.requests]

    for headers in talk(("fine",), ask, rest=""):
        assert "authorization" not in headers
        assert not any("secret" in value for value in headers.values())
        assert not any(name.startswith(("openai", "x-")) for name in headers)


def test_key_of_a_stranger_is_sent_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEXTANT_HTTP_KEY", "for-this-server-only")

    async def ask(model: ChatModel, server: FaultServer) -> str:
        await whole(model, asked.HELLO)
        return server.requests[0].headers["authorization"]

    assert talk(("fine",), ask) == "Bearer for-this-server-only"


def test_without_a_name_the_first_model_of_the_server_is_asked() -> None:
    async def ask(model: ChatModel, server: FaultServer) -> list[str]:
        await whole(model, asked.HELLO)
        await whole(model, asked.HELLO)
        return [one.path for one in server.requests] + [server.chats[0].body["model"]]

    chat = "/v1/chat/completions"
    assert talk(("fine",), ask, rest="") == ["/v1/models", chat, chat, "fault-1"]


def test_server_without_models_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fault_server._MODELS, "data", [])
    with pytest.raises(ModelNotFound, match="has no models"):
        talk(("fine",), lambda model, _: whole(model, asked.HELLO), rest="")


def test_half_of_a_pair_where_it_cannot_be_replaced_is_rejected() -> None:
    call = Message(Speaker.ASSISTANT, calls=(ToolCall("1", "clock", "\ud800"),))
    with pytest.raises(ModelRejected, match="surrogate"):
        talk(("fine",), lambda model, _: whole(model, Prompt((call,))))


def test_closing_a_reply_hangs_up() -> None:
    async def leave(model: ChatModel, server: FaultServer) -> None:
        deltas = model.stream(asked.HELLO)
        await anext(deltas)
        await deltas.aclose()
        await server.until_hung_up()

    talk(("drips for ever",), leave)


@pytest.mark.parametrize("deed", ["hangs", "hangs midway", "comments for ever"])
def test_cancelling_whoever_waits_hangs_up(deed: str) -> None:
    async def cancel(model: ChatModel, server: FaultServer) -> None:
        task = asyncio.create_task(whole(model, asked.HELLO))
        await server.until_asked()
        task.cancel()
        await server.until_hung_up()
        await asyncio.wait([task])
        assert task.cancelled()

    talk((deed,), cancel)


def test_reader_that_fails_hangs_up() -> None:
    async def fail(model: ChatModel, server: FaultServer) -> None:
        with pytest.raises(ZeroDivisionError):
            await _read_and_fail(model)
        await server.until_hung_up()

    talk(("drips for ever",), fail)


async def _read_and_fail(model: ChatModel) -> None:
    async with aclosing(model.stream(asked.HELLO)) as deltas:
        async for _ in deltas:
            raise ZeroDivisionError


def test_silence_is_a_timeout() -> None:
    assert isinstance(failure("hangs", read_seconds=0.05), ModelTimeout)
    assert isinstance(failure("hangs midway", read_seconds=0.05), ModelTimeout)


def test_redirect_is_not_followed() -> None:
    async def elsewhere(exchange: Exchange) -> None:
        await exchange.tell(307, "", "text/plain", "location: https://elsewhere.example/v1")

    assert isinstance(failure(elsewhere), ModelNotFound)


@pytest.mark.parametrize(
    "event",
    [
        "[]",
        "null",
        '"words"',
        "17",
        '{"choices": 3}',
        '{"choices": [null]}',
        '{"choices": [{"delta": {"content": 1}}]}',
        '{"choices": [{"delta": {"content": "", "tool_calls": 7}}]}',
        '{"choices": [{"delta": {"tool_calls": [null]}}]}',
        "{",
        "\ud800",
    ],
)
def test_event_that_is_no_reply_breaks_the_stream(event: str) -> None:
    async def odd(exchange: Exchange) -> None:
        await exchange.begin()
        content = f"data: {event}\n\n".encode(errors="surrogatepass")
        exchange.writer.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(content), content))
        await exchange.writer.drain()

    assert isinstance(failure(odd), BrokenStream)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 400, "message": "No."}, ModelRejected),
        ({"type": "invalid_request_error", "message": "No."}, ModelRejected),
        ({"type": "server_error", "message": "Broken."}, ModelUnavailable),
        ({"code": "rate_limit_exceeded", "message": "Slow."}, ModelRateLimited),
        ({"code": "content_filter", "message": "No."}, ModelRefused),
        ({"message": "Something."}, BrokenStream),
    ],
)
def test_error_within_a_reply_is_told_apart(error: Any, kind: type[ModelError]) -> None:
    async def midway(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.events([{"error": error}])
        await exchange.chunk("")

    assert isinstance(failure(midway), kind)


def test_part_of_a_key_that_the_server_repeats_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEXTANT_HTTP_KEY", KEY)
    error = failure("401")
    assert isinstance(error, ModelAuthentication)
    assert "SEXTANT_HTTP_KEY" in error.hint
    assert "wxyz" not in f"{error} {error.__cause__!r}"
    assert error.__suppress_context__


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("400", ModelRejected),
        ("403", ModelAuthentication),
        ("404", ModelNotFound),
        ("413", ModelRejected),
        ("429", ModelRateLimited),
        ("500", ModelUnavailable),
        ("quota", ModelRateLimited),
        ("filter", ModelRefused),
        ("long", ModelRejected),
    ],
)
def test_failures_of_openai_are_told_apart(
    what: str, kind: type[ModelError], aimock: Aimock, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = _failing(f"Fail with {what}", aimock, monkeypatch)
    assert type(error) is kind
    assert error.message.startswith(("OpenAI", "The prompt is too long for OpenAI"))
    assert error.hint
    if what == "429":
        assert isinstance(error, ModelRateLimited)
        assert error.retry_after == 7
    if what == "quota":
        assert "credit" in error.hint


def test_connection_that_breaks_off_is_a_broken_reply(
    aimock: Aimock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(_failing("Break off", aimock, monkeypatch), BrokenStream)


def _failing(text: str, aimock: Aimock, monkeypatch: pytest.MonkeyPatch) -> ModelError:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{aimock.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", aimock.key)

    async def ask() -> None:
        model = openai_chat.open_model("gpt-5-mini", Settings())
        try:
            await whole(model, say(text))
        finally:
            await model.close()

    with pytest.raises(ModelError) as raised:
        asyncio.run(ask())
    return raised.value


def test_model_must_be_named_and_have_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="names no model"):
        openai_chat.open_model("", Settings())
    with pytest.raises(ModelAuthentication, match="OPENAI_API_KEY"):
        openai_chat.open_model("gpt-5-mini", Settings())


def test_reply_that_ends_by_a_filter_is_refused() -> None:
    async def filtered(exchange: Exchange) -> None:
        await exchange.begin()
        choice = {"index": 0, "delta": {"content": "I"}, "finish_reason": "content_filter"}
        await exchange.events([{"model": "m", "choices": [choice]}])
        await exchange.chunk("")

    reply = talk((filtered,), lambda model, _: whole(model, asked.HELLO))
    assert reply.ended.reason == Reason.REFUSED
