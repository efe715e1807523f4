"""Answers and what was found as plain JSON: the same bytes for the same answer, but for times."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given

from sextant.ask.record.fields import digest_of, record_fields, saved, timing
from sextant.types import (
    Answer,
    Chunk,
    Document,
    Hit,
    Ledger,
    Legs,
    Passage,
    Ranked,
    Scores,
    Share,
    Trace,
)
from tests.ask.record.answers import ANSWER, answers

HIT = Hit(
    Passage(
        Chunk("d#c0", "Process X is owned by Team Y.", 10, 39),
        Document(
            "d",
            "Process X",
            tags=frozenset({"b", "a"}),
            modified=datetime(2026, 1, 2, tzinfo=UTC),
            metadata={"author": "Team Y", "sextant:source": "docs"},
        ),
        "v1",
    ),
    Scores(0.9, 0.5, 0.1, 0.8, 0.83),
    Legs(3.5, None, 0.2),
    Ledger((Share("relevancy", 0.9, 0.7, 0.63),), ("a note",), "a newer page"),
    "names Process X",
)


def slower(answer: Answer) -> Answer:
    steps = tuple(replace(step, milliseconds=step.milliseconds + 1) for step in answer.trace.steps)
    return replace(answer, trace=replace(answer.trace, steps=steps))


@given(answers)
def test_only_the_timing_differs_when_a_step_takes_longer(answer: Answer) -> None:
    one, other = record_fields(answer), record_fields(slower(answer))
    assert {name for name in one if one[name] != other[name]} <= {"timing"}
    assert one["digest"] == other["digest"] == digest_of(answer)


@given(answers)
def test_what_is_plain_is_json_in_utf_8(answer: Answer) -> None:
    assert json.loads(saved(answer).encode().decode()) == record_fields(answer)


def test_a_digest_is_of_every_word() -> None:
    others = [
        replace(ANSWER, question="Who owns Process Y?"),
        replace(ANSWER, text="Team Q."),
        replace(ANSWER, verdict=replace(ANSWER.verdict, confidence=0.91)),
        replace(ANSWER, statements=()),
        replace(ANSWER, citations=(replace(ANSWER.citations[0], start=11),)),
        replace(ANSWER, trace=replace(ANSWER.trace, commit=8)),
    ]
    assert len({digest_of(one) for one in (ANSWER, *others)}) == len(others) + 1


def test_an_answer_has_its_format_and_its_fields_under_their_names() -> None:
    told = record_fields(ANSWER)
    assert list(told) == [
        "format",
        "question",
        "text",
        "verdict",
        "statements",
        "citations",
        "trace",
        "state",
        "digest",
        "timing",
    ]
    assert told["citations"][0]["chunk_id"] == "docs/x.md#c0"
    assert told["statements"][0]["relations"][0]["kind"] == "owned_by"
    assert told["trace"]["steps"] == [
        {"name": "route", "facts": {"knowledge": True}, "fallback": ""}
    ]
    assert told["timing"] == timing(ANSWER.trace) == [{"step": "route", "milliseconds": 0.25}]


def test_a_statement_says_that_it_was_written_only_where_it_was() -> None:
    assert "written" not in record_fields(ANSWER)["statements"][0]
    [own] = ANSWER.statements
    written = replace(ANSWER, statements=(replace(own, written=True),))
    assert record_fields(written)["statements"][0]["written"] is True
    assert digest_of(written) != digest_of(ANSWER)


def test_a_hit_is_told_with_its_chunk_its_scores_and_its_ledger() -> None:
    told = record_fields(HIT)
    assert told["chunk"]["id"] == "d#c0"
    assert told["document"]["tags"] == ["a", "b"]
    assert told["document"]["modified"] == "2026-01-02T00:00:00+00:00"
    assert told["document"]["metadata"] == {"author": "Team Y"}
    assert told["scores"]["total"] == 0.83
    assert told["legs"] == {"keyword": 3.5, "vector": None, "graph": 0.2}
    assert told["ledger"]["shares"][0]["points"] == 0.63
    assert (told["version"], told["why"]) == ("v1", "names Process X")


def test_what_a_search_found_is_told_with_its_trace_and_times_apart() -> None:
    told = record_fields(Ranked((HIT,), ANSWER.trace))
    assert list(told) == ["format", "hits", "trace", "timing"]
    assert told["hits"] == [record_fields(HIT)]
    assert "milliseconds" not in json.dumps(told["trace"])
    assert record_fields(Trace("today", 3)) == {
        "now": "today",
        "commit": 3,
        "steps": [],
        "timing": [],
    }
