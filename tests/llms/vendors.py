"""What the tests of the vendors' adapters share: asking, failing, leaving."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from hypothesis import strategies as st

from sextant.errors import (
    BrokenStream,
    ModelAuthentication,
    ModelError,
    ModelNotFound,
    ModelRateLimited,
    ModelRejected,
    ModelUnavailable,
)
from sextant.ports import ChatModel
from sextant.prompting.reply import whole
from sextant.settings import Settings
from sextant.testing.chat_model_suite.prompts import HELLO
from sextant.types import Delta, Image, Message, Prompt, Reply, Speaker, ToolCall
from tests.llms.servers.http import Fault, Server
from tests.llms.servers.mind import REPEAT

T = TypeVar("T")
Open = Callable[[Settings], ChatModel]

FAULTS: list[tuple[Fault | int, type[ModelError]]] = [
    (400, ModelRejected),
    (401, ModelAuthentication),
    (403, ModelAuthentication),
    (404, ModelNotFound),
    (413, ModelRejected),
    (422, ModelRejected),
    (429, ModelRateLimited),
    (500, ModelUnavailable),
    (503, ModelUnavailable),
    (529, ModelUnavailable),
    (Fault.BAD_GATEWAY, ModelUnavailable),
    (Fault.PAGE, BrokenStream),
    (Fault.NO_REPLY, BrokenStream),
    (Fault.CUT, BrokenStream),
    (Fault.SHORT, BrokenStream),
    (Fault.JUNK, BrokenStream),
    (Fault.ERROR, ModelUnavailable),
]


def impatient(settings: Settings) -> Settings:
    """Settings under which a silent server is given up soon."""
    return replace(settings, model=replace(settings.model, read_seconds=0.05))


def used(open_model: Open, task: Callable[[ChatModel], Awaitable[T]]) -> T:
    """Do something with a model that is opened for it."""

    async def run() -> T:
        model = open_model(Settings())
        try:
            return await task(model)
        finally:
            await model.close()

    return asyncio.run(run())


def reply(open_model: Open, prompt: Prompt) -> Reply:
    return used(open_model, lambda model: whole(model, prompt))


def failure(
    open_model: Open, prompt: Prompt = HELLO, settings: Settings | None = None
) -> tuple[ModelError, list[Delta]]:
    """Return the error, and what was said before it."""
    said: list[Delta] = []

    async def run() -> ModelError:
        model = open_model(settings or Settings())
        try:
            async for delta in model.stream(prompt):
                said.append(delta)  # noqa: PERF401 - what came before an error counts too
        except ModelError as error:
            return error
        finally:
            await model.close()
        raise AssertionError("The model replied where it should have failed.")

    return asyncio.run(run()), said


def left_early(open_model: Open, server: Server) -> bool:
    """Whether the server sees that a reply was closed, while the model stays open."""

    async def leave(model: ChatModel) -> bool:
        deltas = model.stream(COUNT)
        await anext(deltas)
        await deltas.aclose()
        return await asyncio.to_thread(server.left.wait, 30)

    server.fault = Fault.HANG
    return used(open_model, leave)


def cancelled(open_model: Open, server: Server) -> bool:
    """Whether the server sees that whoever waited for the next piece was cancelled."""

    async def cancel(model: ChatModel) -> bool:
        is_heard = asyncio.Event()

        async def read() -> None:
            async for _ in model.stream(COUNT):
                is_heard.set()

        task = asyncio.create_task(read())
        await is_heard.wait()
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled() and await asyncio.to_thread(server.left.wait, 30)

    server.fault = Fault.HANG
    return used(open_model, cancel)


NUMBERS = "one, two, three, four, five, six, seven, eight, nine, ten"
COUNT = Prompt((Message(Speaker.USER, f"{REPEAT}{NUMBERS}"),))
TALK = (
    Message(Speaker.SYSTEM, "Be brief."),
    Message(Speaker.DEVELOPER, "Be kind."),
    Message(Speaker.USER, "First."),
    Message(Speaker.USER, "Second."),
    Message(
        Speaker.ASSISTANT,
        "I look.",
        calls=(ToolCall("a", "weather", '{"city": "Oslo"}'), ToolCall("b", "clock", "")),
    ),
    Message(Speaker.TOOL, "Snow.", call_id="a"),
    Message(Speaker.TOOL, "Noon.", call_id="b"),
    Message(Speaker.USER, "And now?"),
)

_texts = st.text(max_size=20)
_images = st.one_of(
    st.builds(Image, st.just("image/png"), st.binary(min_size=1, max_size=8)),
    st.builds(Image, url=st.just("https://example.org/a.png")),
)
_calls = st.builds(ToolCall, _texts, _texts, _texts)
messages = st.builds(
    Message,
    st.sampled_from(list(Speaker)),
    _texts,
    st.lists(_images, max_size=2).map(tuple),
    st.lists(_calls, max_size=2).map(tuple),
    _texts,
)
