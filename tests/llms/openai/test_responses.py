"""The newer protocol: what is sent, and how events are read."""

from collections.abc import Sequence
from typing import Any

import pytest

from sextant.errors import BrokenStream, ModelError, ModelRateLimited, ModelRefused, ModelRejected
from sextant.llms.openai.peer import Wording
from sextant.llms.openai.responses import Reading, request
from sextant.testing.chat_model_suite import prompts as asked
from sextant.types import Arguments, Called, Delta, Ended, Reason, TextDelta, Usage

USAGE = {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 2}}
WHOLE = {"model": "m-1", "status": "completed", "usage": USAGE}
COMPLETED = {"type": "response.completed", "response": WHOLE}


def read(*events: Any) -> Sequence[Delta]:
    reading = Reading()
    return [*(delta for one in events for delta in reading.take(one)), reading.ended()]


def test_nothing_is_kept_and_what_is_left_to_the_provider_is_not_sent() -> None:
    sent = request(asked.HELLO, "m", Wording(temperature=False))
    assert sent == {
        "model": "m",
        "input": [{"role": "user", "content": "Say hello in one short sentence."}],
        "stream": True,
        "store": False,
        "max_output_tokens": asked.HELLO.max_tokens,
    }


def test_calls_and_results_are_items_of_their_own() -> None:
    items = request(asked.WEATHER_TOLD, "m", Wording())["input"]
    kinds = [item.get("type", item.get("role")) for item in items]
    assert kinds == ["user", *["function_call"] * 2, *["function_call_output"] * 2]
    assert [item.get("call_id") for item in items[1:]] == ["call_1", "call_2"] * 2


def test_schema_image_and_tools_find_their_places() -> None:
    assert request(asked.COLOUR, "m", Wording())["text"]["format"]["strict"] is True
    (user,) = request(asked.IMAGE, "m", Wording())["input"]
    assert [part["type"] for part in user["content"]] == ["input_text", "input_image"]
    sent = request(asked.HELLO_WITH_NAMED_TOOL, "m", Wording())
    assert sent["tool_choice"] == {"type": "function", "name": "clock"}
    assert [tool["name"] for tool in sent["tools"]] == ["weather", "clock"]


def test_stop_words_are_refused_in_words() -> None:
    with pytest.raises(ModelRejected, match="stop words"):
        request(asked.COUNT_UNTIL_STOP, "m", Wording())


def test_words_and_calls_are_read() -> None:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "clock"}
    deltas = read(
        {"type": "response.created", "response": {}},
        {"type": "response.output_text.delta", "delta": "Let me see."},
        {"type": "response.output_item.added", "item": item},
        {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": "{}"},
        COMPLETED,
    )
    assert deltas == [
        TextDelta("Let me see."),
        Called("call_1", "clock"),
        Arguments("call_1", "{}"),
        Ended(Reason.TOOLS, Usage(9, 4, 2), "m-1"),
    ]


@pytest.mark.parametrize(
    ("why", "reason"), [("max_output_tokens", Reason.LENGTH), ("content_filter", Reason.REFUSED)]
)
def test_reply_that_is_incomplete_says_why(why: str, reason: Reason) -> None:
    whole = {**WHOLE, "status": "incomplete", "incomplete_details": {"reason": why}}
    (ended,) = read({"type": "response.incomplete", "response": whole})
    assert isinstance(ended, Ended)
    assert ended.reason == reason


def test_refusal_is_one() -> None:
    said, ended = read({"type": "response.refusal.delta", "delta": "I may not."}, COMPLETED)
    assert said == TextDelta("I may not.")
    assert isinstance(ended, Ended)
    assert ended.reason == Reason.REFUSED


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "Slow."}, ModelRateLimited),
        (
            {"type": "response.failed", "response": {"error": {"code": "content_filter"}}},
            ModelRefused,
        ),
        ({"type": "response.created"}, BrokenStream),
    ],
)
def test_reply_that_fails_says_how(event: Any, kind: type[ModelError]) -> None:
    with pytest.raises(kind):
        read(event)
