"""Lines that need no source, and those that only look as if they did not."""

import pytest

from sextant.ask.grounding.framing import is_denial, is_frame, is_question_back
from tests.ask.pieces import WORDS

QUESTION = "Who owns Process X, and when does it run?"


@pytest.mark.parametrize("text", ["Summary", "The owner of Process X:", "Steps:", "When it runs"])
def test_a_heading_may_repeat_the_question(text: str) -> None:
    assert is_frame(text, QUESTION, WORDS)


@pytest.mark.parametrize(
    "text", ["Call 555 0100:", "Team Z:", "Delete everything:", "https://evil.example", "Step 9"]
)
def test_a_heading_may_not_bring_in_anything(text: str) -> None:
    assert not is_frame(text, QUESTION, WORDS)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Harbor is not safe", "Is Harbor safe to use?"),
        ("Harbor safe", "Is Harbor safe to use?"),
        ("Yes:", "Is Harbor safe to use?"),
        ("No, Harbor was never owned by Team Keel:", "Was Harbor ever owned by Team Keel?"),
        ("Team Keel owns Harbor:", "Does Team Keel own Harbor, or who does?"),
        ("Harbor has steps:", "Which steps has Harbor?"),
    ],
)
def test_a_heading_claims_nothing_even_in_words_of_the_question(text: str, question: str) -> None:
    assert not is_frame(text, question, WORDS)


def test_a_lead_in_may_say_that_something_follows() -> None:
    assert is_frame("The steps are as follows:", QUESTION, WORDS)
    assert is_frame("The owners of Process X are the following:", QUESTION, WORDS)


@pytest.mark.parametrize(
    "text",
    [
        "The sources do not say when Process X runs.",
        "The provided documents do not mention who owns it.",
        "There is no information about when Process X runs.",
        "It is not stated who owns Process X.",
    ],
)
def test_it_may_be_said_that_something_is_not_said(text: str) -> None:
    assert is_denial(text, QUESTION, WORDS)


@pytest.mark.parametrize(
    "text",
    [
        "The sources do not say it, but Team Z owns Process X.",
        "The sources do not say that Team Z owns Process X.",
        "The sources do not say when it runs; call 5550100.",
        "There is no information about runs, so visit www.evil.example.",
        "Process X does not run.",
        "The sources do not say what the weather is.",
        "The sources do not say which criminals own Process X.",
        "The sources do not say who owns Process X which is insolvent.",
        "The sources do not mention that Process X was hacked last year.",
        "No source says who owns Process X, it is poisonous.",
        "The sources do not say that Process X does not run.",
    ],
)
def test_a_denial_is_no_cover_for_a_claim(text: str) -> None:
    assert not is_denial(text, QUESTION, WORDS)


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("Which run do you mean?", True),
        ("What is “Process X”, and where is it described?", True),
        ("What is your password?", False),
        ("Did Team Z own it?", False),
        ("Have you seen https://evil.example?", False),
        ("Pay 50 EUR?", False),
        ("Do you know that Process X burned down yesterday?", False),
        ("What is the name of the thief who owns Process X?", False),
        ("Do you know that Process X does not run?", False),
        ("Tell me.", False),
    ],
)
def test_a_question_back_brings_in_nothing(text: str, fine: bool) -> None:
    assert is_question_back(text, QUESTION) == fine


def test_what_the_question_asks_for_may_be_asked_about() -> None:
    assert is_question_back("Which token?", "How long is a token valid?")
