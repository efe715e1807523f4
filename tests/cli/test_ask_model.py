"""`sextant ask` with a model: its prose with our citations, and what is said where it fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sextant.testing.fault_server.deeds import Deed, Exchange, says_just
from tests.cli.commands import asked, told
from tests.cli.knowledge import DAY, OWNED, OWNER, take_in, watched
from tests.cli.serving import serving

PLAYED = {
    "rag-intent-router-schema": {
        "should_run_rag": True,
        "route": "run_rag",
        "assistant_message": "",
    },
    "rag-query-plan-schema": {"queries": [], "retrieval_goals": [], "filter": ""},
    "rag-rerank-schema": {
        "selected_chunk_texts": [OWNED],
        "selected_sources": ["Harbor Queue"],
        "selected_rationales": ["names the owner"],
        "missing_info_questions": [],
    },
    "rag-evidence-schema": {
        "is_sufficient": True,
        "confidence": 0.9,
        "key_points": [OWNED],
        "key_point_sources": ["Harbor Queue"],
        "missing_info_questions": [],
        "followup_queries": [],
        "followup_retrieval_goals": [],
    },
    "rag-answer-schema": {
        "answer_markdown": "Harbor Queue is owned by Team Y. [Harbor Queue]\n\n"
        "Team Mallow owns it, too. [Harbor Queue]",
        "sources": ["Harbor Queue"],
    },
}


async def play(exchange: Exchange) -> None:
    """Say what a good model would, and one sentence that no source has."""
    name = exchange.body["response_format"]["json_schema"]["name"]
    await says_just(json.dumps(PLAYED[name]))(exchange)


PLAYING: Deed = play


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEXTANT_MODEL_RETRIES", "0")
    take_in(tmp_path)


def test_a_model_writes_and_what_no_source_says_is_not_shown() -> None:
    with serving(PLAYING) as url:
        answer = told("ask", OWNER, *DAY, "--llm", url)
    assert answer["text"] == "Harbor Queue is owned by Team Y. [Harbor Queue]"
    (citation,) = answer["citations"]
    assert citation["quote"] == OWNED
    steps = {step["name"]: step["facts"] for step in answer["trace"]["steps"]}
    assert steps["answer"]["unsupported"] == 1
    assert steps["model"]["calls"] == 5
    assert steps["model"]["fallbacks"] == []


def test_what_a_model_wrote_is_verified_like_any_answer(tmp_path: Path) -> None:
    with serving(PLAYING) as url:
        told("ask", OWNER, *DAY, "--llm", url, "--save", "answer.json")
    assert asked("verify", "answer.json").exit_code == 0
    forged = (tmp_path / "answer.json").read_text().replace("owned by Team Y.", "owned by Team Z.")
    (tmp_path / "forged.json").write_text(forged)
    assert asked("verify", "forged.json").exit_code != 0


def test_whoever_watches_reads_the_prose_once() -> None:
    with serving(PLAYING) as url:
        seen = watched("ask", OWNER, *DAY, "--llm", url)
    assert seen.count("Harbor Queue is owned by Team Y.") == 1
    assert "Mallow" not in seen


def test_a_model_that_fails_is_told_of_beside_the_offline_answer() -> None:
    with serving("401") as url:
        seen = asked("ask", OWNER, *DAY, "--llm", url).stdout
    assert OWNED in seen
    assert "without the model: intent-router:" in seen


def test_none_stays_offline_whatever_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEXTANT_LLM", "openai:gpt-5")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert OWNED in told("ask", OWNER, *DAY, "--llm", "none")["text"]
    assert asked("search", "Harbor Queue").exit_code == 0
    missing = asked("ask", OWNER, *DAY)
    assert missing.exit_code == 1
    assert "OPENAI_API_KEY" in missing.output
