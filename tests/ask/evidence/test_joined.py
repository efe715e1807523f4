"""Two pieces of different documents that a name joins, which the question does not have."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from sextant.ask.answer import claims_of
from sextant.ask.evidence.asked import Part, asked, read
from sextant.ask.evidence.joined import joined
from tests.ask.evidence.pieces import NOW, WORDS, goal, hits, passage

HERON = passage("heron", "Heron forwards video. The Media team runs it.", "Heron")
TEAMS = passage("teams", "Ingrid Solheim leads Media. Kofi Mensah leads Storage.", "Teams")
QUESTION = "Who leads the team that runs the video router?"


def said(odds: Mapping[str, float], text: str = QUESTION) -> list[str]:
    reads = read(hits(HERON, TEAMS), WORDS)
    known = {
        (unit.passage.chunk.id, unit.start, unit.end): own
        for unit in (one.unit for one in reads)
        for begin, own in odds.items()
        if unit.text.startswith(begin)
    }
    wanted = asked(Part(goal(text)), reads, WORDS, NOW.date())
    return [one.unit.text for one in joined(replace(wanted, odds=known), reads)]


def test_a_name_joins_two_pieces_though_another_is_likelier() -> None:
    found = said({"The Media": 2.0, "Ingrid": -1.0, "Kofi": -0.5})
    assert found == ["The Media team runs it.", "Ingrid Solheim leads Media."]


def test_the_title_of_a_page_joins_as_well() -> None:
    router = passage("teams", "Team Blue looks after Heron.", "Teams")
    reads = read(hits(HERON, router), WORDS)
    odds = {(one.unit.passage.chunk.id, one.unit.start, one.unit.end): 1.0 for one in reads}
    wanted = asked(Part(goal(QUESTION)), reads, WORDS, NOW.date())
    found = [one.unit.text for one in joined(replace(wanted, odds=odds), reads)]
    assert found == ["Heron forwards video.", "Team Blue looks after Heron."]


def test_a_name_in_the_question_joins_nothing() -> None:
    asks = "Who leads the Media team that runs Heron?"
    assert said({"The Media": 2.0, "Ingrid": -1.0}, asks) == []


def test_what_answers_by_itself_is_joined_to_nothing() -> None:
    assert said({"The Media": 6.0, "Ingrid": 1.0}) == []


def test_what_is_unlikely_is_not_joined() -> None:
    assert said({"The Media": 2.0, "Ingrid": -5.0}) == []


def test_pieces_of_one_page_are_not_joined() -> None:
    assert said({"Ingrid": 2.0, "Kofi": 1.0}) == []


def test_nothing_is_joined_where_no_odds_are_known() -> None:
    assert said({}) == []


@pytest.mark.parametrize(("reputation", "is_said"), [(0.9, True), (0.05, False)])
def test_a_source_of_little_worth_is_joined_to_nothing(reputation: float, is_said: bool) -> None:
    talk = passage("talk", "Mallory Quick leads Media.", "Talk", reputation=reputation)
    likely = {"The Media": 2.0, "Mallory": -1.0, "Heron": -9.0}
    found = hits(HERON, talk)
    odds = {
        (one.unit.passage.chunk.id, one.unit.start, one.unit.end): own
        for one in read(found, WORDS)
        for begin, own in likely.items()
        if one.unit.text.startswith(begin)
    }
    claims = claims_of([Part(goal(QUESTION))], found, NOW, WORDS, lambda _: odds)
    assert any("Media team" in claim.text for claim in claims)
    assert any("Mallory" in claim.text for claim in claims) is is_said
