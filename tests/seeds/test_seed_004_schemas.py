"""The agentic workflow, to the letter: its files, and the schema of each agent's reply."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from sextant.ask.workflow.load import load
from sextant.ask.workflow.nouns import STEPS
from sextant.ask.workflow.place import shipped
from sextant.types import JsonObject
from tests.seeds.requirement import requirement

ROUTE = '{"should_run_rag": true, "route": "run_rag", "assistant_message": ""}'
PLAN = '{"queries": ["a", "b", "c"], "retrieval_goals": ["x", "y", "z"], "filter": ""}'
FOUND = '{"query_used": "a", "chunk_texts": ["t"], "chunk_sources": ["S"]}'
RERANK = (
    '{"selected_chunk_texts": ["t"], "selected_sources": ["S"], "selected_rationales": ["r"],'
    ' "missing_info_questions": ["m?"]}'
)
EVIDENCE = (
    '{"is_sufficient": false, "confidence": 0.4, "key_points": ["k"], "key_point_sources": ["S"],'
    ' "missing_info_questions": ["m?"], "followup_queries": ["f"],'
    ' "followup_retrieval_goals": ["g"]}'
)
ANSWER = '{"answer_markdown": "It is so. [S]", "sources": ["S"]}'
SAID = dict(zip(STEPS, (ROUTE, PLAN, FOUND, RERANK, EVIDENCE, ANSWER), strict=True))


def schema_of(step: str) -> JsonObject:
    return load().agents[step].schema.schema


def breaks(step: str, **changed: Any) -> bool:
    checker = jsonschema.Draft202012Validator(schema_of(step))
    return not checker.is_valid({**json.loads(SAID[step]), **changed})


@requirement("004-044", "004-002", "004-012", "004-017", "004-022", "004-034")
@pytest.mark.parametrize("step", STEPS)
def test_a_reply_as_it_is_described_fits_and_every_field_is_needed(step: str) -> None:
    assert not breaks(step)
    reply = json.loads(SAID[step])
    for name in reply:
        assert schema_of(step)["required"] == list(reply)
        assert breaks(step, **{name: {"no": "such type"}})
    assert breaks(step, more=1)


@requirement("004-002")
def test_a_route_is_one_of_two() -> None:
    assert not breaks("intent-router", route="no_rag")
    assert breaks("intent-router", route="maybe")


@requirement("004-006", "004-013", "004-018", "004-019", "004-028")
@pytest.mark.parametrize(
    ("step", "names", "most"),
    [
        ("query-plan", ("queries", "retrieval_goals"), 3),
        ("retriever", ("chunk_texts", "chunk_sources"), 20),
        ("rerank", ("selected_chunk_texts", "selected_sources", "selected_rationales"), 8),
        ("rerank", ("missing_info_questions",), 3),
        ("evidence", ("missing_info_questions",), 3),
        ("evidence", ("followup_queries", "followup_retrieval_goals"), 3),
    ],
)
def test_lists_have_their_greatest_length(step: str, names: tuple[str, ...], most: int) -> None:
    for name in names:
        assert not breaks(step, **{name: []})
        assert not breaks(step, **{name: ["x"] * most})
        assert breaks(step, **{name: ["x"] * (most + 1)})


@requirement("004-023")
@pytest.mark.parametrize("confidence", [-0.01, 1.01, "0.5", None])
def test_a_confidence_is_a_number_from_0_to_1(confidence: object) -> None:
    assert breaks("evidence", confidence=confidence)
    assert not breaks("evidence", confidence=0)
    assert not breaks("evidence", confidence=1.0)


@requirement("004-009")
def test_a_filter_is_a_text() -> None:
    assert not breaks("query-plan", filter="sourceType eq 'wiki'")
    assert breaks("query-plan", filter=None)


@requirement("004-030", "004-046")
def test_one_further_round_is_allowed_and_the_steps_have_their_order() -> None:
    assert load().max_retries == 1
    assert tuple(load().agents) == STEPS


@requirement("004-045")
def test_the_files_lie_where_they_are_described() -> None:
    files = {
        "workflows/current-agentic-rag-workflow.yaml",
        *(f"agents/rag-{step}-agent.yaml" for step in STEPS),
        *(f"schemas/rag-{step}-schema.json" for step in STEPS if step != "retriever"),
        "schemas/rag-retrieval-schema.json",
    }
    assert set(shipped()) == files
