"""The same call comes back with the same through every door."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.doors.calls import CALLS, SEARCHES, WORDLESS
from tests.doors.conftest import DOORS, THREE_SERVERS
from tests.doors.shapes import Answered, Found, Refused, Reply

_ALL = [(door, call) for door in DOORS for call in CALLS if call not in WORDLESS]
_SEARCHED = [(THREE_SERVERS, call) for call in SEARCHES if call not in WORDLESS]


@pytest.mark.parametrize(("door", "call"), [*_ALL, *_SEARCHED], indirect=["door"])
def test_a_call_comes_back_the_same_through_every_door(
    door: Mapping[str, Reply], call: str, expected: Mapping[str, Reply]
) -> None:
    assert door[call] == expected[call]


@pytest.mark.parametrize("door", DOORS, indirect=True)
@pytest.mark.parametrize("call", WORDLESS)
def test_a_question_without_a_word_is_refused_at_every_door(
    door: Mapping[str, Reply], call: str
) -> None:
    assert isinstance(door[call], Refused)


def test_the_calls_are_worth_comparing(expected: Mapping[str, Reply]) -> None:
    """Of every kind there are some that find something, and answers that differ where they must."""
    answers = {name: one for name, one in expected.items() if isinstance(one, Answered)}
    found = [one for one in expected.values() if isinstance(one, Found)]
    assert sum(bool(one.citations) for one in answers.values()) > 15
    assert sum(not one.sufficient for one in answers.values()) >= 3
    assert sum(bool(one.results) for one in found) == len(found) >= 7
    assert answers["unanswerable, told in German"].text != answers["unanswerable-01"].text
    assert answers["one-hop-25"].citations
    assert answers["unanswerable-09"].citations != answers["one-hop-25"].citations
    assert answers["follow-up"].linked
    assert _restricted(expected["search as SRE and finance"]) == {"finance", "sre"}


def _restricted(reply: Reply) -> set[str]:
    """Return whose documents a reply rests on, of those that only one persona may see."""
    assert isinstance(reply, Found)
    parts = [one.document_id.partition("restricted/")[2] for one in reply.results]
    return {part.partition("/")[0] for part in parts if part}
