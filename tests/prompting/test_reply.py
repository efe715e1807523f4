"""Pieces become the whole that they are pieces of, or a broken stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import BrokenStream, ModelTimeout
from sextant.prompting.reply import gathered, whole
from sextant.types import Arguments, Called, Delta, Ended, Reason, Reply, TextDelta, ToolCall, Usage
from tests.prompting.models import HELLO, Wayward, fails, says
from tests.prompting.timeless import run

END = Ended(Reason.TOOLS, Usage(3, 4))


async def stream(*deltas: Delta) -> AsyncGenerator[Delta, None]:
    for delta in deltas:
        yield delta


def test_text_and_calls_are_put_together_in_the_order_they_began() -> None:
    deltas: list[Delta] = [
        TextDelta("I lo"),
        Called("b", "look"),
        Arguments("b", '{"at":'),
        Called("a", "wait"),
        TextDelta("ok."),
        Arguments("a", "{}"),
        Arguments("b", ' "sea"}'),
        END,
    ]
    calls = (ToolCall("b", "look", '{"at": "sea"}'), ToolCall("a", "wait", "{}"))
    assert run(gathered(stream(*deltas))) == Reply("I look.", calls, END)


def test_nothing_but_an_end_is_an_empty_reply() -> None:
    assert run(gathered(stream(END))) == Reply("", (), END)


def test_what_comes_after_the_end_is_not_read() -> None:
    assert run(gathered(stream(TextDelta("a"), END, TextDelta("b")))).text == "a"


@pytest.mark.parametrize(
    "deltas",
    [
        [],
        [TextDelta("half")],
        [Called("a", "look"), Arguments("a", "{}")],
        [Arguments("a", "{}"), END],
        [Called("a", "look"), Arguments("b", "{}"), END],
        [Called("a", "look"), Called("a", "wait"), END],
    ],
)
def test_what_is_no_whole_reply_is_a_broken_stream(deltas: Sequence[Delta]) -> None:
    with pytest.raises(BrokenStream):
        run(gathered(stream(*deltas)))


def test_the_model_is_let_go_of_however_it_ends() -> None:
    well, badly = Wayward([says("a")]), Wayward([fails(ModelTimeout("Late.", "Try again."), "a")])
    run(whole(well, HELLO))
    with pytest.raises(ModelTimeout):
        run(whole(badly, HELLO))
    assert (well.let_go, badly.let_go) == (1, 1)


TEXTS = st.lists(st.text(max_size=5), max_size=5)


@given(TEXTS, st.dictionaries(st.text(max_size=3), TEXTS, max_size=4), st.randoms())
def test_however_pieces_interleave_nothing_is_lost(
    said: list[str], calls: dict[str, list[str]], order: Random
) -> None:
    queues: list[list[Delta]] = [[TextDelta(text) for text in said]]
    for call_id, texts in calls.items():
        queues.append([Called(call_id, "tool"), *(Arguments(call_id, text) for text in texts)])
    deltas: list[Delta] = []
    while any(queues):
        deltas.append(order.choice([queue for queue in queues if queue]).pop(0))
    reply = run(gathered(stream(*deltas, END)))
    assert reply.text == "".join(said)
    assert {one.id: one.arguments for one in reply.calls} == {
        call_id: "".join(texts) for call_id, texts in calls.items()
    }
