"""A relation is believed only if one sentence of the text says it, of both ends, as it is now."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ingest.extract.findings import FoundRelation
from sextant.ingest.extract.phrases import relation_kinds
from sextant.ingest.model_extraction.prompt import Excerpt
from tests.ingest.test_model_checks import read, relation

DESK, STORE, QUEUE, CREW = "Tidal Desk", "Dock Store", "Harbor Queue", "Night Crew"


def told(
    source: str, kind: str, target: str, text: str, words: str = "", above: str = ""
) -> tuple[tuple[FoundRelation, ...], list[str]]:
    """Return what is believed of a model that reads this in a text, and why it is not."""
    found = relation(source, kind, target, words or text)
    findings, dropped = read(found, text=Excerpt(above, text))
    return findings.told, list(dropped)


@pytest.mark.parametrize(
    ("source", "kind", "target", "text"),
    [
        (DESK, "depends_on", STORE, "Tidal Desk sits on top of Dock Store."),
        (DESK, "depends_on", STORE, "Tidal Desk can't run without Dock Store."),
        (DESK, "depends_on", STORE, "Dependencies of Tidal Desk: Salt Box and Dock Store."),
        (QUEUE, "owned_by", CREW, "The Night Crew keeps Harbor Queue running."),
        (QUEUE, "owned_by", CREW, "Harbor Queue, which Night Crew runs, is up."),
        (QUEUE, "escalates_to", CREW, "If Harbor Queue is stuck, you should page Night Crew."),
        (DESK, "fails_over_to", STORE, "Dock Store takes over if Tidal Desk is down."),
        (
            DESK,
            "replaces",
            STORE,
            "Tidal Desk was formerly Box Nine and took the place of Dock Store.",
        ),
        (DESK, "causes", STORE, "The crash of Dock Store was caused by Tidal Desk."),
        (DESK, "uses", STORE, "Dock Store is used to keep what Tidal Desk reads."),
        (DESK, "located_in", "Pier Nine", "Tidal Desk lives in Pier Nine."),
    ],
)
def test_what_a_sentence_says_in_other_words_than_patterns_know_is_believed(
    source: str, kind: str, target: str, text: str
) -> None:
    assert told(source, kind, target, text) == ((FoundRelation(source, kind, target),), [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Harbor Queue and Night Crew were both late to the meeting.", "Harbor Queue"),
        ("Harbor Queue and Night Crew were both late to the meeting.", ""),
        ("Harbor Queue is up. Night Crew runs late.", "Night Crew runs late"),
        ("Harbor Queue is owned by Salt Box. Night Crew is up.", "owned by Salt Box"),
        ("Is Harbor Queue owned by Night Crew?", ""),
        ("The Owned Harbor Queue met Night Crew.", "Harbor Queue met Night Crew"),
    ],
)
def test_what_a_sentence_does_not_say_of_both_ends_is_dropped(text: str, words: str) -> None:
    refused = told(QUEUE, "owned_by", CREW, text, words)
    assert refused == ((), ["not said in that sentence"])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Tidal Desk was never built on Dock Store.", "denied"),
        ("Tidal Desk isn’t built on Dock Store.", "denied"),  # noqa: RUF001 - as it is printed
        ("Nobody says that Tidal Desk is built on Dock Store.", "denied"),
        ("Tidal Desk runs without what is built on Dock Store.", "denied"),
        ("Tidal Desk stopped depending on Dock Store.", "denied"),
        ("Tidal Desk is no longer built on Dock Store.", "denied"),
        ("Tidal Desk used to depend on Dock Store.", "past, planned or conditional"),
        ("Tidal Desk was built on Dock Store until 2021.", "past, planned or conditional"),
        ("Tidal Desk was mainly built on Dock Store.", "past, planned or conditional"),
        ("Formerly Tidal Desk, now Salt Box, built on Dock Store.", "past, planned or conditional"),
        ("Tidal Desk will depend on Dock Store.", "past, planned or conditional"),
        ("We plan a Tidal Desk built on Dock Store.", "past, planned or conditional"),
        ("If it grows, Tidal Desk depends on Dock Store.", "past, planned or conditional"),
        ("Tidal Desk might be built on Dock Store.", "past, planned or conditional"),
        ("Dock Store depends on Tidal Desk.", "said the other way round"),
    ],
)
def test_what_is_denied_past_planned_conditional_or_the_reverse_is_dropped(
    text: str, reason: str
) -> None:
    for words in (text, "Dock Store"):
        assert told(DESK, "depends_on", STORE, text, words) == ((), [reason])


@pytest.mark.parametrize(
    "text",
    [
        "It leans on Dock Store.",
        "The service is built on Dock Store.",
        "Its dependencies are Salt Box and Dock Store.",
        "- **Depends on:** Dock Store",
        "Main dependency: Dock Store",
        "Dock Store is required by it.",
    ],
)
def test_a_sentence_may_lean_on_the_subject_of_its_page_or_section(text: str) -> None:
    found, dropped = told(DESK, "depends_on", STORE, text, above="Notes > Tidal Desk runbook")
    assert (found, dropped) == ((FoundRelation(DESK, "depends_on", STORE),), [])
    assert told(DESK, "depends_on", STORE, text, above="Notes > About Salt Box")[0] == ()
    other = told(DESK, "depends_on", STORE, f"Tidal Desk is up. {text}", text, "Salt Box")
    assert other == ((), ["not said in that sentence"])


@pytest.mark.parametrize(
    "text",
    [
        "Salt Box depends on Dock Store.",
        "Salt depends on Dock Store.",
        "Salt Box needs its own Dock Store.",
        "Note: Dock Store needs its rest.",
    ],
)
def test_a_sentence_with_a_subject_of_its_own_does_not_lean(text: str) -> None:
    refused = told(DESK, "depends_on", STORE, text, above=DESK)
    assert refused == ((), ["not said in that sentence"])


def test_a_sentence_that_leans_is_read_in_the_right_direction() -> None:
    text = "The Night Crew looks after it."
    assert told(QUEUE, "owned_by", CREW, text, above=QUEUE)[0] == (
        FoundRelation(QUEUE, "owned_by", CREW),
    )
    reverse = told(CREW, "owned_by", QUEUE, text, above=QUEUE)
    assert reverse == ((), ["said the other way round"])


def test_words_of_one_end_that_holds_the_other_name_no_second_end() -> None:
    refused = told("Dock", "uses", STORE, "Everybody uses Dock Store.")
    assert refused == ((), ["not said in that sentence"])


@pytest.mark.parametrize("kind", sorted(relation_kinds()))
def test_no_kind_is_said_by_names_that_only_stand_together(kind: str) -> None:
    text = "Tidal Desk and Dock Store were both late to the meeting."
    assert told(DESK, kind, STORE, text) == ((), ["not said in that sentence"])


@pytest.mark.parametrize("kind", sorted(relation_kinds()))
def test_every_kind_is_said_by_its_own_name(kind: str) -> None:
    text = f"Tidal Desk {kind.replace('_', ' ')} Dock Store."
    assert told(DESK, kind, STORE, text)[0] == (FoundRelation(DESK, kind, STORE),)


SENTENCE = ("Today", "the", "Tidal", "Desk", "is", "built", "on", "Dock", "Store", "in", "all")
TURNS = ("not", "no longer", "never", "nobody", "isn't", "without", "formerly", "will")


@given(st.sampled_from((*TURNS, "if", "until", "may", "plans")), st.integers(0, len(SENTENCE)))
def test_a_word_that_turns_a_sentence_round_is_seen_wherever_it_stands(turn: str, at: int) -> None:
    text = " ".join((*SENTENCE[:at], turn, *SENTENCE[at:]))
    assert told(DESK, "depends_on", STORE, " ".join(SENTENCE), "built on Dock Store")[0]
    assert told(DESK, "depends_on", STORE, text, "Dock Store")[0] == ()
