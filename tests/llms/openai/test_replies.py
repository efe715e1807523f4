"""From chunks to pieces, in all the ways in which servers write them."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import BrokenStream
from sextant.llms.openai.replies import Reading
from sextant.types import Arguments, Called, Delta, Ended, Reason, TextDelta, Usage

USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 2}}


def chunk(delta: Any = None, finish: str | None = None, **more: Any) -> Any:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return {"id": "1", "model": "m-1", "choices": [choice], **more}


def call(index: int, text: str, call_id: str | None = None, name: str | None = None) -> Any:
    function = {"name": name, "arguments": text}
    return {"tool_calls": [{"index": index, "id": call_id, "function": function}]}


def read(chunks: Iterable[Any]) -> list[Delta]:
    reading = Reading()
    deltas = [delta for one in chunks for delta in reading.take(one)]
    return [*deltas, reading.ended()]


def test_words_come_one_by_one_and_then_the_end() -> None:
    usage = {"id": "1", "model": "m-1", "choices": [], "usage": USAGE}
    deltas = read(
        [chunk({"content": "Hi "}), chunk({"content": "you"}), chunk(None, "stop"), usage]
    )
    assert deltas == [TextDelta("Hi "), TextDelta("you"), Ended(Reason.STOP, Usage(9, 4, 2), "m-1")]


def test_usage_may_come_with_the_last_words_or_not_at_all() -> None:
    assert read([chunk({"content": "Hi"}, "stop", usage=USAGE)])[-1] == Ended(
        Reason.STOP, Usage(9, 4, 2), "m-1"
    )
    assert read([chunk({"content": "Hi"}, "stop", usage=None)])[-1] == Ended(model="m-1")


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("stop", Reason.STOP),
        ("length", Reason.LENGTH),
        ("tool_calls", Reason.TOOLS),
        ("content_filter", Reason.REFUSED),
        ("a word of tomorrow", Reason.STOP),
    ],
)
def test_reasons_are_told_apart(finish: str, reason: Reason) -> None:
    (ended,) = read([chunk(None, finish)])
    assert isinstance(ended, Ended)
    assert ended.reason == reason


def test_refusal_is_said_and_is_one() -> None:
    said, ended = read([chunk({"refusal": "I may not."}), chunk(None, "stop")])
    assert said == TextDelta("I may not.")
    assert isinstance(ended, Ended)
    assert ended.reason == Reason.REFUSED


def test_reply_without_an_end_is_broken() -> None:
    with pytest.raises(BrokenStream):
        read([chunk({"content": "Half a re"})])
    with pytest.raises(BrokenStream):
        read([])


def test_call_that_just_stops_is_a_call() -> None:
    deltas = read([chunk(call(0, "{}", "a", "clock")), chunk(None, "stop")])
    assert deltas[:-1] == [Called("a", "clock"), Arguments("a", "{}")]
    assert deltas[-1] == Ended(Reason.TOOLS, Usage(), "m-1")


def test_calls_that_are_all_numbered_0_are_told_apart_by_their_ids() -> None:
    first, second = call(0, "{}", "a", "clock"), call(0, '{"city":1}', "b", "weather")
    deltas = read([chunk(first), chunk(second), chunk(None, "stop")])
    assert deltas[:-1] == [
        Called("a", "clock"),
        Arguments("a", "{}"),
        Called("b", "weather"),
        Arguments("b", '{"city":1}'),
    ]


def test_calls_without_an_id_or_with_the_same_one_get_their_own() -> None:
    nameless = [chunk(call(0, "{}", None, "clock")), chunk(call(1, "{}", None, "clock"))]
    twins = [chunk(call(0, "{}", "a", "clock")), chunk(call(1, "{}", "a", "clock"))]
    for chunks in (nameless, twins):
        ids = [one.id for one in read([*chunks, chunk(None, "stop")]) if isinstance(one, Called)]
        assert len({*ids}) == 2


@given(st.text(), st.lists(st.integers(0, 50)), st.booleans())
def test_where_a_server_cuts_makes_no_difference(text: str, cuts: list[int], ided: bool) -> None:
    edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    parts = [text[start:end] for start, end in pairwise(edges)]
    said = read([*(chunk({"content": part}) for part in parts), chunk(None, "stop")])
    assert "".join(one.text for one in said if isinstance(one, TextDelta)) == text
    again = "a" if ided else None
    begun = chunk(call(0, "", "a", "clock"))
    calls = read([begun, *(chunk(call(0, part, again)) for part in parts), chunk(None, "stop")])
    assert "".join(one.text for one in calls if isinstance(one, Arguments)) == text
    assert [one for one in calls if isinstance(one, Called)] == [Called("a", "clock")]
