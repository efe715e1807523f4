"""Two pieces that a name or a rare word joins, which the question does not have."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from sextant.ask.answer import claims_of
from sextant.ask.evidence.asked import Odds, Part, asked
from sextant.ask.evidence.joined import joined
from sextant.ask.evidence.read import Reader
from sextant.types import Passage
from tests.ask.evidence.pieces import NOW, WORDS, goal, hits, passage

HERON = passage("heron", "Heron forwards video. The Media team runs it.", "Heron")
TEAMS = passage("teams", "Ingrid Solheim leads Media. Kofi Mensah leads Storage.", "Teams")
OTHERS = passage(
    "others",
    "Lunch is served at noon. Bicycles stand in the yard. The lift is slow. Parcels wait below."
    " Windows close at ten. Plants need water. The roof is green. Tea is free.",
    "The house",
)
QUESTION = "Who leads the team that runs Heron?"


def known(passages: list[Passage], odds: Mapping[str, float]) -> Odds:
    return {
        (unit.passage.chunk.id, unit.start, unit.end): own
        for unit in (one.unit for one in Reader(WORDS).read(hits(*passages)))
        for begin, own in {"": -9.0, **odds}.items()
        if unit.text.startswith(begin)
    }


def said(odds: Mapping[str, float], text: str = QUESTION, *more: Passage) -> list[str]:
    passages = [HERON, TEAMS, OTHERS, *more]
    reads = Reader(WORDS).read(hits(*passages))
    wanted = asked(Part(goal(text)), reads, WORDS, NOW.date())
    return [one.unit.text for one in joined(replace(wanted, odds=known(passages, odds)), reads)]


def test_a_name_joins_two_pieces_though_another_is_likelier() -> None:
    found = said({"The Media": 2.0, "Ingrid": -1.0, "Kofi": -0.5})
    assert found == ["The Media team runs it.", "Ingrid Solheim leads Media."]


def test_a_rare_word_joins_as_well() -> None:
    council = passage("phones", "The staff council refuses private phones.", "Phones")
    glossary = passage("glossary", "Rosalind Achebe chairs the council.", "Glossary")
    asks = "Who chairs the body that refuses private phones?"
    found = said({"The staff": 6.0, "Rosalind": 2.0}, asks, council, glossary)
    assert found == [
        "The staff council refuses private phones.",
        "Rosalind Achebe chairs the council.",
    ]


def test_a_name_in_the_question_joins_nothing() -> None:
    asks = "Who leads the Media team that runs Heron?"
    assert said({"The Media": 2.0, "Ingrid": -1.0}, asks) == []


def test_what_speaks_of_all_that_is_asked_needs_no_second_piece() -> None:
    whole = passage("whole", "Ingrid Solheim leads the team that runs Heron, Media.", "Whole")
    assert said({"Ingrid Solheim leads the": 6.0, "Kofi": 1.0}, QUESTION, whole) == []


def test_what_speaks_of_nothing_that_is_asked_is_not_joined() -> None:
    assert said({"The Media": 2.0, "Ingrid": -1.0}, "How long is a token valid?") == []


def test_nothing_is_joined_where_no_odds_are_known() -> None:
    reads = Reader(WORDS).read(hits(HERON, TEAMS, OTHERS))
    assert joined(asked(Part(goal(QUESTION)), reads, WORDS, NOW.date()), reads) == []


@pytest.mark.parametrize(("reputation", "is_said"), [(0.9, True), (0.05, False)])
def test_a_source_of_little_worth_is_joined_to_nothing(reputation: float, is_said: bool) -> None:
    talk = passage("talk", "Mallory Quick leads Media.", "Talk", reputation=reputation)
    passages = [HERON, OTHERS, talk]
    odds = known(passages, {"The Media": 2.0, "Mallory": -1.0, "Heron": -9.0})
    claims = claims_of([Part(goal(QUESTION))], hits(*passages), NOW, Reader(WORDS), lambda _: odds)
    assert any("Media team" in claim.text for claim in claims)
    assert any("Mallory" in claim.text for claim in claims) is is_said


def test_a_question_in_parts_is_answered_by_two_pieces_together() -> None:
    whole = "Which team runs Heron, and who leads it?"
    parts = [Part(goal(one)) for one in (whole, "Which team runs Heron", "who leads it")]
    passages = [HERON, TEAMS, OTHERS]
    odds = known(passages, {"The Media": 4.0, "Ingrid": 1.0, "Kofi": 1.0})
    claims = claims_of(parts, hits(*passages), NOW, Reader(WORDS), lambda _: odds)
    assert {"Ingrid Solheim leads Media."} <= {claim.text for claim in claims}


def test_the_pair_comes_before_the_other_rows_of_a_table() -> None:
    rows = [
        "| Team | Lead |",
        "|---|---|",
        "| Storage | Kofi Mensah |",
        "| Media | Ingrid Solheim |",
    ]
    table = passage("table", "\n".join(rows), "Teams")
    passages = [HERON, table, OTHERS]
    odds = known(passages, {"The Media": 3.0, "Team: Storage": 5.0, "Team: Media": 2.0})
    claims = claims_of([Part(goal(QUESTION))], hits(*passages), NOW, Reader(WORDS), lambda _: odds)
    told = [claim.text for claim in claims]
    assert any("Media team runs it" in text for text in told[:2])
    assert "Team: Media; Lead: Ingrid Solheim." in told[:2]
    assert not any("Kofi" in text for text in told[:2])
