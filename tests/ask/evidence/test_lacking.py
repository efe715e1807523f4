"""What is asked back: of what nobody speaks, and of what only others speak."""

from sextant.ask.evidence.lacking import questions_back, questions_elsewhere
from tests.ask.evidence.pieces import WORDS

ASKED = "Which command moves captures to the Standby Gateway?"


def terms(text: str) -> frozenset[str]:
    return frozenset(WORDS.terms(text))


def test_names_come_first_and_are_asked_for_as_names() -> None:
    seen = terms("Somebody moves captures.")
    assert questions_back([ASKED], seen, WORDS) == (
        "What is “Standby Gateway”, and where is it described?",
        "Is there another word for “command”, or a page that speaks of it?",
    )


def test_what_is_said_only_elsewhere_is_asked_for_in_this_matter() -> None:
    said = terms("Captures move to the Standby Gateway.")
    assert questions_elsewhere([ASKED], said, WORDS) == (
        "Where does it say something about “command” in this matter?",
    )


def test_nothing_is_asked_back_where_all_is_said() -> None:
    assert questions_elsewhere([ASKED], terms(ASKED), WORDS) == ()
