"""Where a question has parts, and where it only looks so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.planning.parts import parts_of


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "If Service A fails, what breaks and who owns escalation?",
            ["If Service A fails, what breaks?", "Service A: who owns escalation?"],
        ),
        (
            "Who owns Service A and what does it depend on?",
            ["Who owns Service A?", "What does Service A depend on?"],
        ),
        (
            "Which team had to lead the review of INC-2026-008, and within how many working days?",
            [
                "Which team had to lead the review of INC-2026-008?",
                "Within how many working days: had to lead the review of INC-2026-008?",
            ],
        ),
        (
            "The successor of Cinder Mail is silent. Which runbook do I follow, and who owns it?",
            [
                "The successor of Cinder Mail is silent. Which runbook do I follow?",
                "Cinder Mail: who owns the runbook?",
            ],
        ),
        (
            "Which services does Team Keel own and which of them are tier 1?",
            ["Which services does Team Keel own?", "Team Keel: which of the services are tier 1?"],
        ),
        (
            "How often is the backup tested and where is it stored?",
            ["How often is the backup tested?", "backup tested: where is the backup stored?"],
        ),
        (
            "What was decided in ADR-015 and why?",
            ["What was decided in ADR-015?", "Why: was decided in ADR-015?"],
        ),
        (
            "For Service A, who is the owner and what is the tier?",
            ["For Service A, who is the owner?", "Service A: what is the tier?"],
        ),
        (
            "Who owns Service A? Who leads Team Y?",
            ["Who owns Service A?", "Who leads Team Y?"],
        ),
    ],
)
def test_each_part_of_a_question_stands_alone(question: str, parts: list[str]) -> None:
    assert [part.text for part in parts_of(question)] == parts


def test_a_part_says_in_a_few_words_what_it_is_for() -> None:
    goals = [part.goal for part in parts_of("If Service A fails, what breaks and who is told?")]

    assert goals == ["what breaks", "who is told"]


@pytest.mark.parametrize(
    "question",
    [
        "Who owns Service A?",
        "Who owns Service A and Service B?",
        "When does the next change freeze begin and end?",
        "When was the singer born who is known for her voice and who's third album is Diamond?",
        "What show does a retired player, who missed the season, host?",
        "Where was the place of death of Thaddeus P. Mott's father?",
        "Where did the director of film Ave Caesar! die?",
        "What part of the state, in which the character is stuck, is Rochester in?",
        "What happens when Service A fails and when it returns?",
        "Which extension do I call when Service A is down and nobody has acknowledged?",
        "Do both films, Afrika and Man From The Deep River, have directors from one country?",
        "Wer ist zuständig und was passiert bei einem Ausfall?",
        "Thanks. Who owns Service A?",
        "Refunds stand still. Who is called?",
    ],
)
def test_a_question_with_one_part_has_none_to_be_asked_for_itself(question: str) -> None:
    assert parts_of(question) == ()


words = st.lists(
    st.sampled_from(
        [
            "If",
            "Service",
            "A",
            "fails",
            ",",
            "what",
            "breaks",
            "and",
            "who",
            "owns",
            "it",
            "?",
            "how",
            "many",
            "days",
            "which",
            "team",
            "does",
            ".",
            "the",
            "why",
            "when",
            "is",
            "there",
            "within",
            "or",
        ]
    ),
    max_size=25,
).map(" ".join)


@given(st.one_of(st.text(max_size=300), words))
def test_any_text_has_no_parts_or_several_that_say_something(text: str) -> None:
    parts = parts_of(text)

    assert len(parts) != 1
    assert all(part.text.strip() and part.goal.strip() for part in parts)
