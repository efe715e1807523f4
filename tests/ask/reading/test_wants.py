"""What sort of answer a question asks for, about what, and of which day."""

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sextant.ask.reading.wants import Kind, wants_of

TODAY = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who owns Process X?", Kind.PERSON),
        ("Which team maintains it?", Kind.PERSON),
        ("Whose mailbox got the warnings?", Kind.PERSON),
        ("who's on call this week?", Kind.PERSON),
        ("Could you please tell me who is responsible for exports?", Kind.PERSON),
        ("How long is a token valid?", Kind.DURATION),
        ("How soon must a secret be changed?", Kind.DURATION),
        ("Within how many minutes must the page be acknowledged?", Kind.DURATION),
        ("How often is the backup tested?", Kind.DURATION),
        ("What is the timeout of Service A?", Kind.DURATION),
        ("When does Process X run?", Kind.TIME),
        ("At what time does the payout start?", Kind.TIME),
        ("What are the opening hours of the desk?", Kind.TIME),
        ("Since when does the gateway accept refunds?", Kind.DATE),
        ("By when must all consumers follow?", Kind.DATE),
        ("On which day are invoices sent?", Kind.DATE),
        ("What year was the company founded?", Kind.DATE),
        ("How long ago was it closed?", Kind.DATE),
        ("How many refunds were delayed?", Kind.COUNT),
        ("How much does a failover cost?", Kind.AMOUNT),
        ("At which score does it decline a payment?", Kind.AMOUNT),
        ("Up to which amount does a payment pass?", Kind.AMOUNT),
        ("Where are the secrets kept?", Kind.PLACE),
        ("Toad Hall is a hall in a university located in what Australian city?", Kind.PLACE),
        ("Why do refunds take so long?", Kind.REASON),
        ("how come payouts are late", Kind.REASON),
        ("What was the root cause of INC-2025-031?", Kind.REASON),
        ("What caused the outage?", Kind.REASON),
        ("Is Harbor Queue a tier 1 service?", Kind.YES_NO),
        ("If Fathom Risk is silent, does Service A decline the payment?", Kind.YES_NO),
        ("Which runbook do I follow?", Kind.NAME),
        ("In which programming language is it written?", Kind.NAME),
        ("What is Service A?", Kind.DEFINITION),
        ("what's a tier 1 service", Kind.DEFINITION),
        ("What does NRC stand for?", Kind.DEFINITION),
        ("How does Process X work?", Kind.DEFINITION),
        ("What is the difference between Team Y and Team Yarrow?", Kind.COMPARISON),
        ("How do X1 and X2 differ?", Kind.COMPARISON),
        ("Which is more reliable: Harbor Queue or the old mail spool?", Kind.COMPARISON),
        ("If Service A fails, what breaks?", Kind.LIST),
        ("Which services use Harbor Queue?", Kind.LIST),
        ("List all systems that depend on Atlas Identity.", Kind.LIST),
        ("How do I restart the ingest worker?", Kind.PROCEDURE),
        ("What should I do if the nightly job hangs?", Kind.PROCEDURE),
        ("What are the steps of the failover?", Kind.PROCEDURE),
        ("RB-130", Kind.ANYTHING),
        ("Wer ist zuständig?", Kind.ANYTHING),
        ("من يملك الخدمة أ؟", Kind.ANYTHING),
        ("", Kind.ANYTHING),
    ],
)
def test_the_words_that_ask_say_what_sort_of_answer_is_wanted(question: str, kind: Kind) -> None:
    assert wants_of(question).kind is kind


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("Which extension do I call?", "extension"),
        ("Within how many working days must it follow?", "working days"),
        ("What was the root cause of the outage?", "root cause"),
        ("Which runbooks mention Harbor Queue?", "runbooks mention"),
        ("Who owns Service A?", ""),
        ("My token expired. What now?", ""),
    ],
)
def test_the_noun_is_what_is_asked_for(question: str, noun: str) -> None:
    assert wants_of(question).noun == noun


def test_the_focus_is_what_the_answer_should_speak_of() -> None:
    wants = wants_of("Could you please tell me who owns the escalation of Service A?")

    assert wants.focus == ("owns", "escalation", "service", "a")


def test_dates_of_the_question_are_kept() -> None:
    dates = wants_of("What happened on 28 November 2025 and last month?", TODAY).dates

    assert [(found.start, found.end) for found in dates] == [
        (date(2025, 11, 28), date(2025, 11, 29)),
        (date(2026, 10, 1), date(2026, 11, 1)),
    ]


@given(st.text(max_size=400))
@example("ʼ")  # noqa: RUF001 - an apostrophe that counts as a letter
def test_any_text_wants_something_and_always_the_same(text: str) -> None:
    wants = wants_of(text, TODAY)

    assert wants == wants_of(text, TODAY)
    assert all(word.strip() for word in wants.focus)
    assert len(set(wants.focus)) == len(wants.focus)
