"""Refusals speak to who sent the request: of its own fields and files, and of what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.serve.jobs.working import in_loop
from tests.serve.rest.knowing import door, told
from tests.serve.rest.sending import upload

INSIDE = ("Request", "Preferences", "Weights", "constrained", "Identifier", "CollectionLambda")
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("/api/search", {"query": "a", "rankingPrefs": {"recency": -1}}, "rankingPrefs.recency"),
    ("/api/search", {"query": "a", "rankingPrefs": 5}, "rankingPrefs"),
    ("/api/ask", {"query": "a", "rankingPrefs": {"recency": "1"}}, "rankingPrefs.recency"),
    ("/api/ask", {"query": "a", "rankingPrefs": []}, "rankingPrefs"),
    ("/api/ask", {"query": "a", "context": []}, "context"),
    ("/api/ask", {"query": " "}, "query"),
    ("/api/ask", {}, "query"),
    (
        "/api/ingest",
        {"documents": [{"text": "a", "metadata": {"b": {}}}]},
        "documents.0.metadata.b",
    ),
    ("/api/ingest", {"documents": "a"}, "documents"),
]


@in_loop
async def test_a_wrong_field_is_named_once_as_it_was_sent(tmp_path: Path) -> None:
    async with door(tmp_path) as one:
        for path, body, field in WRONG:
            problem = told(await one.client.post(path, json=body), 422)
            assert [error["field"] for error in problem["errors"]] == [field], problem
            assert not [name for name in INSIDE if name in json.dumps(problem)], problem


@in_loop
async def test_a_filter_is_refused_in_its_own_words_and_every_field_is_told(tmp_path: Path) -> None:
    filters = ("tags", "tags/all(t: t eq 'x')", "1 eq 2", "contains(tags, 'x')", "a add b", "'x'")
    async with door(tmp_path) as one:
        for text in filters:
            body = {"query": "Who?", "filter": text}
            problem = told(await one.client.post("/api/ask", json=body), 422)
            assert problem["code"] == "invalid_filter"
            assert not [name for name in INSIDE if name in json.dumps(problem)], problem
            for field in ("tags", "entityIds", "sourceType", "documentId", "chunkId", "created"):
                assert field in problem["hint"]
        problem = told(
            await one.client.post("/api/ask", json={"query": "a", "filter": "tags"}), 422
        )
        assert problem["detail"].endswith(": tags.")


@in_loop
async def test_a_bare_file_and_a_name_that_leads_astray_are_told_what_to_do(
    tmp_path: Path,
) -> None:
    async with door(tmp_path) as one:
        kind = {"content-type": "text/markdown"}
        bare = await one.client.post("/api/ingest", content=b"# Guide", headers=kind)
        assert "-F file=@" in told(bare, 415)["hint"]
        problem = told(await upload(one.client, {"../../etc/x.md": "Text."}), 422)
        assert "'../../etc/x.md'" in problem["detail"]
        assert ".." in problem["hint"]
        assert "archive" not in json.dumps(problem)


@in_loop
async def test_what_can_be_done_instead_is_told(tmp_path: Path) -> None:
    async with door(tmp_path) as one:
        problem = told(await one.client.put("/api/backups"), 405)
        assert "GET or POST" in problem["hint"]
