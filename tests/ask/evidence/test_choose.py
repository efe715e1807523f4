"""How much is said, and which sources stand beside it."""

from sextant.ask.answer import claims_of
from sextant.ask.evidence.read import Reader
from tests.ask.evidence.pieces import NOW, WORDS, claims, hit, part, passage, said

KEPT = "Unread messages are kept for 48 hours in the harbour queue."


def test_where_little_of_the_question_is_spoken_of_more_is_said() -> None:
    page = passage(
        "queue",
        "Messages wait in the harbour queue. Messages are dropped behind the pier. "
        "Messages are counted every night by a robot.",
    )
    sure = said("Are messages counted every night by a robot?", page)
    doubtful = said("Which gizmo of the warehouse frobnicates messages before breakfast?", page)
    assert len(sure) < len(doubtful)


def test_a_source_with_the_same_figures_stands_beside_the_first() -> None:
    other = passage("copy", "In the harbour queue unread messages are kept for 48 hours, always.")
    [first, *_] = claims("How long are unread messages kept?", passage("queue", KEPT), other)
    assert {quote.passage.document.id for quote in first.quotes} == {"queue", "copy"}


def test_a_source_with_other_figures_does_not_stand_beside_it() -> None:
    other = passage("copy", KEPT.replace("48", "72"))
    found = claims("How long are unread messages kept?", passage("queue", KEPT), other)
    assert all(len(claim.quotes) == 1 for claim in found)


def test_a_rumour_is_not_put_beside_a_better_source() -> None:
    page = passage("policy", "Team Keel owns the harbour queue.", reputation=0.9)
    chat = passage("chat", "Somebody said that Team Mallow owns the harbour queue.", reputation=0.1)
    found = claims_of(
        [part("Who owns the harbour queue?")], [hit(page), hit(chat)], NOW, Reader(WORDS)
    )
    assert [claim.quotes[0].passage.document.id for claim in found] == ["policy"]
