"""What nobody knows is refused by its name, and never swallowed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.serve.jobs.working import in_loop
from tests.serve.rest.knowing import door, told
from tests.serve.rest.sending import ids, post, upload
from tests.serve.running import served, small

ASK, SEARCH, INGEST = "/api/ask", "/api/search", "/api/ingest"
FEEDBACK, EXPAND, PROFILE = "/api/feedback", "/api/expand", "/api/profiles/p"
QUERY = {"query": "Who owns Process X?"}
SLIPS: list[tuple[str, dict[str, Any], str, str]] = [
    (ASK, {**QUERY, "topk": 3}, "topk", "topK"),
    (ASK, {**QUERY, "top_k": 3}, "top_k", "topK"),
    (ASK, {**QUERY, "tenant": "a"}, "tenant", "tenantId"),
    (ASK, {**QUERY, "persona": "sre"}, "persona", "personaId"),
    (ASK, {**QUERY, "budget": {"milisecs": 5}}, "budget.milisecs", "milliseconds"),
    (ASK, {**QUERY, "rankingPrefs": {"relevance": 1}}, "rankingPrefs.relevance", "relevancy"),
    (ASK, {**QUERY, "user": {"AadObjectID": "a"}}, "user.AadObjectID", "aadObjectId"),
    (SEARCH, {**QUERY, "topk": 3}, "topk", "topK"),
    (SEARCH, {**QUERY, "filters": {"tag": ["a"]}}, "filters.tag", "Tags"),
    (SEARCH, {**QUERY, "RankingPrefs": {"Relevance": 1}}, "RankingPrefs.Relevance", "Relevancy"),
    (EXPAND, {"entityIds": ["a"], "hop": 2}, "hop", "hops"),
    (FEEDBACK, {"verdict": "helpful", "documentID": "a"}, "documentID", "documentId"),
    (PROFILE, {"weights": {"relevance": 1}}, "weights.relevance", "relevancy"),
    (PROFILE, {"weight": {"relevancy": 1}}, "weight", "weights"),
    (INGEST, {"documents": [{"text": "a", "persona": ["x"]}]}, "documents.0.persona", "personas"),
    (INGEST, {"documents": [{"text": "a"}], "persona": ["x"]}, "persona", "personas"),
]


@in_loop
async def test_a_field_that_nobody_knows_is_named_with_the_one_that_may_be_meant(
    tmp_path: Path,
) -> None:
    async with door(tmp_path) as one:
        for path, body, field, meant in SLIPS:
            method = "PUT" if path == PROFILE else "POST"
            problem = told(await one.client.request(method, path, json=body), 422)
            messages = {error["field"]: error["message"] for error in problem["errors"]}
            assert f"Did you mean {meant}?" in messages[field], problem
            assert problem["code"] == "invalid_input"
        assert told(await one.client.get("/api/profiles"))["profiles"] == []


@in_loop
async def test_a_field_that_is_like_no_other_is_answered_with_those_there_are(
    tmp_path: Path,
) -> None:
    async with door(tmp_path) as one:
        body = {**QUERY, "budget": {"ms": 5}}
        problem = told(await one.client.post(ASK, json=body), 422)
        assert "budget.ms" in problem["detail"]
        assert "milliseconds, tokens" in problem["detail"]


@in_loop
async def test_no_document_becomes_public_by_a_slip(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        told(
            await post(client, {"documents": [{"id": "a", "text": "Secret.", "persona": "x"}]}), 422
        )
        told(await upload(client, {"a.md": "Secret."}, persona="x"), 422)
        assert await ids(client) == []


@in_loop
async def test_a_parameter_that_nobody_knows_is_refused_on_every_route(tmp_path: Path) -> None:
    async with door(tmp_path) as one:
        paths = told(await one.client.get("/openapi.json"))["paths"]
        for path, own in paths.items():
            for method in own:
                at = path.replace("{", "").replace("}", "")
                address = f"{at}?tenantid=x&aadObjectId=a&aadObjectId=b"
                reply = await one.client.request(method, address, json={})
                problem = told(reply, 422)
                messages = {error["field"]: error["message"] for error in problem["errors"]}
                assert "Did you mean tenantId?" in messages["tenantid"], (path, problem)
                assert messages["aadObjectId"] == "It is given twice"


@in_loop
async def test_a_field_under_two_names_is_refused(tmp_path: Path) -> None:
    async with door(tmp_path) as one:
        for other in ("UserQueryText", "userQueryText"):
            body = {**QUERY, other: "Another question"}
            [error] = told(await one.client.post(SEARCH, json=body), 422)["errors"]
            assert error == {"field": other, "message": "It comes twice, under two of its names"}


@in_loop
async def test_a_million_unknown_fields_are_a_few_errors(tmp_path: Path) -> None:
    body = {**QUERY, **{f"f{at}": 0 for at in range(50_000)}}
    async with door(tmp_path) as one:
        reply = await one.client.post(ASK, json=body)
        assert len(told(reply, 422)["errors"]) <= 20


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Any:
    async def read() -> Any:
        async with door(tmp_path_factory.mktemp("openapi")) as one:
            return told(await one.client.get("/openapi.json"))

    return asyncio.run(read())


def _requests(document: Any) -> dict[str, Any]:
    return {
        f"{method} {path} {media}": content["schema"]
        for path, own in document["paths"].items()
        for method, operation in own.items()
        for media, content in operation.get("requestBody", {}).get("content", {}).items()
    }


def test_every_body_is_said_to_be_closed_but_for_user_and_context(document: Any) -> None:
    schemas = document["components"]["schemas"]

    def opened(schema: Any, place: str) -> list[str]:
        if "$ref" in schema:
            schema = schemas[schema["$ref"].rpartition("/")[2]]
        found = []
        if "properties" in schema and schema.get("additionalProperties") is not False:
            found.append(place)
        for part in (*schema.get("anyOf", ()), *filter(None, [schema.get("items")])):
            found += opened(part, place)
        for name, own in schema.get("properties", {}).items():
            if name not in ("user", "context", "answer"):
                found += opened(own, f"{place}.{name}")
        return found

    bodies = _requests(document)
    assert len(bodies) == 15
    for name, schema in bodies.items():
        if "multipart" not in name:
            assert opened(schema, name) == []
            assert {"tenantId", "personaId", "user", "context"} <= set(
                schemas[schema["$ref"].rpartition("/")[2]]["properties"]
                if "$ref" in schema
                else schema["properties"]
            )
    assert "locale" in json.dumps(schemas["AskContext"])


def test_both_spellings_of_a_search_are_said_to_be_taken(document: Any) -> None:
    schemas = document["components"]["schemas"]
    names = set(schemas["SearchRequest"]["properties"])
    assert {"query", "UserQueryText", "userQueryText", "topK", "TopKFinalRank"} <= names
    assert {"Filters", "filters", "TenantId", "tenantId", "context", "user"} <= names
    assert {"SourceTypes", "sourceTypes"} <= set(schemas["KnowledgeSearchFilters"]["properties"])
    assert "query" not in schemas["SearchRequest"].get("required", ())
