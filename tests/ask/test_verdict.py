"""Whether what is shown answers the question: fitted signs of what is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.blocks import cut_blocks
from sextant.ask.fitted import fitted
from sextant.ask.piece_odds import PieceOdds
from sextant.ask.score import NAMES, Readings
from sextant.ask.verdict import Judgement, ShownSigns, confidence_of, judge, unknown_names
from sextant.types import Hit
from tests.ask.found import WORDS, hits, odds, passage, scored

SIGNS = tuple(asdict(ShownSigns()))
SURE = ShownSigns(told=0.97, meant=0.7)
TOKEN = passage("token", "Tokens sign people in. A token is valid for 20 minutes.", "Tokens")
BOATS = [passage(f"b{at}", f"Boat {at} lies at the pier of the harbour.") for at in range(6)]
KNOWN = dict(odds(TOKEN, -3.0, 6.0)) | {place: -8.0 for one in BOATS for place in odds(one, 0.0)}


def judged(found: Sequence[Hit], *parts: str, known: PieceOdds | None = None) -> Judgement:
    readings = Readings(WORDS)
    own = scored(parts, found, known, readings)
    return judge(parts, own, cut_blocks(own, readings), readings)


def test_there_is_a_weight_for_every_sign() -> None:
    assert set(fitted().passage) == set(NAMES)
    assert set(fitted().read) == {"bias", *SIGNS}
    assert set(fitted().unread) == {"bias", *SIGNS} - {"meant"}


@given(st.lists(st.floats(-1e6, 1e6), min_size=len(SIGNS), max_size=len(SIGNS)), st.booleans())
def test_a_confidence_lies_between_nothing_and_all(values: list[float], is_read: bool) -> None:
    assert 0.0 <= confidence_of(ShownSigns(*values), is_read=is_read) <= 1.0


@pytest.mark.parametrize("is_read", [True, False])
def test_what_is_likely_and_has_the_words_is_known_and_what_lacks_them_is_a_doubt(
    is_read: bool,
) -> None:
    sure = confidence_of(SURE, is_read=is_read)
    assert sure > 0.5 > confidence_of(ShownSigns(), is_read=is_read)
    assert confidence_of(replace(SURE, told=0.3), is_read=is_read) < sure
    assert confidence_of(replace(SURE, lacking=0.4), is_read=is_read) < sure
    assert confidence_of(replace(SURE, unknown=1.0), is_read=is_read) < sure


def test_a_piece_that_is_meant_makes_an_answer_surer() -> None:
    unlikely = replace(SURE, meant=-0.3)
    assert confidence_of(unlikely, is_read=True) < confidence_of(SURE, is_read=True)


def test_an_answer_that_is_shown_is_known() -> None:
    found = judged(hits(*BOATS[:1], TOKEN, *BOATS[1:]), "How long is a token valid?", known=KNOWN)
    assert found.is_sufficient
    assert found.is_near


def test_a_question_about_what_nothing_speaks_of_is_not_known() -> None:
    found = judged(hits(TOKEN, *BOATS), "Who is the CEO of Zephyr Logistics?", known=KNOWN)
    assert not found.is_sufficient
    nothing = judged((), "Who is the CEO?")
    assert nothing == Judgement(0.0, ShownSigns())
    assert not nothing.is_near


def test_a_question_about_a_name_that_no_page_has_is_not_known_however_near_a_page_is() -> None:
    asked = "How long is a token valid with tokenRefreshPolicy?"
    assert not judged(hits(TOKEN, *BOATS), asked, known=KNOWN).is_sufficient


def test_a_question_of_which_a_part_is_open_is_not_known() -> None:
    parts = "How long is a token valid?", "Which port does the relay listen on?"
    asked, readings = (" And ".join(parts), *parts), Readings(WORDS)
    found, unlikely = hits(TOKEN, *BOATS), dict.fromkeys(KNOWN, -8.0)
    own = [
        *scored(asked[:2], found, KNOWN, readings),
        *scored(asked[2:], found, unlikely, readings),
    ]
    assert not judge(asked, own, cut_blocks(own, readings), readings).is_sufficient
    assert judge(asked[1:2], own[1:2], cut_blocks(own[1:2], readings), readings).is_sufficient


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What does externalTrafficPolicy do?", ("externalTrafficPolicy",)),
        ("What does --dry-run do?", ("--dry-run",)),
        ("What is in boat.yaml?", ("boat.yaml",)),
        ("Where is the Kubernetes harbour?", ("Kubernetes",)),
        ("Where do boats lie, at the Pier?", ()),
        ("Why?", ()),
    ],
)
def test_what_is_spelt_like_a_name_and_stands_nowhere_is_unknown(
    text: str, names: tuple[str, ...]
) -> None:
    readings = Readings(WORDS)
    assert unknown_names(text, scored([text], hits(*BOATS), None, readings)[0], readings) == names


def test_without_any_odds_words_alone_decide() -> None:
    found = judged(hits(TOKEN, *BOATS), "How long is a token valid?")
    assert found.is_sufficient
    assert not judged(hits(*BOATS), "How long is a token valid?").is_sufficient
