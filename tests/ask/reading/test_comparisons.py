"""What a question sets side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.reading.comparisons import comparison_in


@pytest.mark.parametrize(
    ("question", "about"),
    [
        (
            "What is the difference between Team Y and Team Yarrow?",
            ("What is Team Y?", "What is Team Yarrow?"),
        ),
        (
            "How do the escalation times of a tier 1 and a tier 2 service differ?",
            ("tier 1: escalation times", "tier 2 service: escalation times"),
        ),
        ("How does Slate differ from Tide in price?", ("Slate: price", "Tide: price")),
        ("Kafka vs. RabbitMQ", ("What is Kafka?", "What is RabbitMQ?")),
        (
            "Compare the onboarding of merchants with the onboarding of couriers",
            ("What is onboarding of merchants?", "What is onboarding of couriers?"),
        ),
        (
            "Which outage delayed more refunds, INC-2025-031 or INC-2025-052?",
            (
                "Which outage delayed more refunds, INC-2025-031?",
                "Which outage delayed more refunds, INC-2025-052?",
            ),
        ),
        (
            "Which film was released first, Mystify: Michael Hutchence or The Man On The Roof?",
            (
                "Which film was released first, Mystify: Michael Hutchence?",
                "Which film was released first, The Man On The Roof?",
            ),
        ),
        (
            "Which is more reliable: Harbor Queue or the old mail spool?",
            ("Which is more reliable: Harbor Queue?", "Which is more reliable: old mail spool?"),
        ),
        ("Is Kafka faster than RabbitMQ?", ("Is Kafka faster?", "Is RabbitMQ faster?")),
        (
            "Are Moredun Creek and Tuggeranong Creek both located in the same country?",
            (
                "Are Moredun Creek both located in the same country?",
                "Are Tuggeranong Creek both located in the same country?",
            ),
        ),
    ],
)
def test_two_things_side_by_side_are_asked_about_one_by_one(
    question: str, about: tuple[str, str]
) -> None:
    found = comparison_in(question)

    assert found
    assert (found.of_first, found.of_second) == about


@pytest.mark.parametrize(
    "question",
    [
        "Who owns Service A?",
        "Who owns Service A and Service B?",
        "What languages are spoken, written or signed by the person?",
        "Is a refund of more than 2,000 EUR approved twice?",
        "Does Service A decline the payment or let it pass?",
        "What is the difference?",
        "Compare",
        "A or B",
    ],
)
def test_what_sets_nothing_side_by_side_is_no_comparison(question: str) -> None:
    assert comparison_in(question) is None


words = st.lists(
    st.sampled_from(
        [
            "which",
            "is",
            "older",
            ",",
            "X",
            "or",
            "Y",
            "the",
            "difference",
            "between",
            "and",
            "of",
            "A",
            "B",
            "compare",
            "vs",
            "than",
            "same",
            "are",
            "differ",
            "how",
            "do",
            "?",
            ":",
            "first",
        ]
    ),
    max_size=20,
).map(" ".join)


@given(st.one_of(st.text(max_size=300), words))
def test_any_text_compares_two_different_things_or_none(text: str) -> None:
    found = comparison_in(text)

    assert found is None or (found.first and found.second and found.first != found.second)
