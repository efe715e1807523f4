"""With a model, as specification 000 has it: what it answers from, and what comes out."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from sextant.testing.fault_server.deeds import Exchange, says_just
from sextant.testing.fault_server.server import FaultServer
from tests.seeds.requirement import requirement
from tests.seeds.seed_000_knowledge import ASKED, CHUNK, seeded
from tests.serve.rest.knowing import told
from tests.serve.running import served, small

_PLAYED: dict[str, Any] = {
    "rag-intent-router-schema": {
        "should_run_rag": True,
        "route": "run_rag",
        "assistant_message": "",
    },
    "rag-query-plan-schema": {"queries": [], "retrieval_goals": [], "filter": ""},
    "rag-rerank-schema": {
        "selected_chunk_texts": [CHUNK["content"]],
        "selected_sources": [CHUNK["title"]],
        "selected_rationales": ["names what it needs"],
        "missing_info_questions": [],
    },
    "rag-evidence-schema": {
        "is_sufficient": True,
        "confidence": 0.9,
        "key_points": [CHUNK["content"]],
        "key_point_sources": [CHUNK["title"]],
        "missing_info_questions": [],
        "followup_queries": [],
        "followup_retrieval_goals": [],
    },
    "rag-answer-schema": {
        "answer_markdown": f"Service A depends on Process X. [{CHUNK['title']}]",
        "sources": [CHUNK["title"]],
    },
}


@requirement("000-044", "000-045", "000-046")
def test_a_model_gets_the_chunks_with_titles_and_the_graph_and_its_answer_is_cited(
    tmp_path: Path,
) -> None:
    heard: dict[str, str] = {}

    async def play(exchange: Exchange) -> None:
        name = exchange.body["response_format"]["json_schema"]["name"]
        heard[name] = json.dumps(exchange.body["messages"])
        await says_just(json.dumps(_PLAYED[name]))(exchange)

    async def task() -> Any:
        async with seeded(tmp_path):
            pass
        async with FaultServer(play) as model:
            settings = replace(small(tmp_path), llm=f"{model.url}#fault-1")
            async with served(settings) as server, server.client() as client:
                return told(await client.post("/api/ask", json=ASKED))

    reply = asyncio.run(task())
    prompt = heard["rag-answer-schema"]
    assert CHUNK["content"] in prompt
    assert CHUNK["title"] in prompt
    assert "How names are related" in prompt
    assert "depends on" in prompt
    assert reply["answer"] == f"Service A depends on Process X. [{CHUNK['title']}]"
    assert [one["chunkId"] for one in reply["citations"]] == [CHUNK["id"]]
