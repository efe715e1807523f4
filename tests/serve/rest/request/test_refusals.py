"""What is no request is refused with the right status, a hint, and nothing of what was sent."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.serve.rest.knowing import door

JSON = {"content-type": "application/json"}
HUGE = "x" * 30_000
Replies = dict[str, httpx2.Response]


BODIES: list[tuple[bytes, int]] = [
    (b"", 400),
    (b"{", 400),
    (b"query=who", 400),
    (b'{"query": "a", "query": "b"}', 400),
    (b'{"query": "a", "context": {"locale": "de", "locale": "en"}}', 400),
    (b'{"query": NaN}', 400),
    (b'{"query": "a", "topK": Infinity}', 400),
    (b'{"query": "\xff"}', 400),
    (b'\xef\xbb\xbf{"query": "a"}', 400),
    (b'{"query": "a", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400),
    (b'{"query": "a", "topK": ' + b"9" * 5_000 + b"}", 400),
    (b'{"query": "\\ud800"}', 422),
    (b'{"user": {"aadObjectId": "\\udfff"}, "query": "a"}', 422),
    (b'"query"', 422),
    (b"null", 422),
    (b"[]", 422),
    (b"{}", 422),
    (b'{"query": ""}', 422),
    (b'{"query": " \\n\\u00a0"}', 422),
    (b'{"query": 5}', 422),
    (b'{"query": ["a"]}', 422),
    (b'{"query": "a", "topK": "5"}', 422),
    (b'{"query": "a", "topK": 5.5}', 422),
    (b'{"query": "a", "topK": true}', 422),
    (b'{"query": "a", "topK": 0}', 422),
    (b'{"query": "a", "topK": 1000000}', 422),
    (b'{"query": "a", "rephrase": "true"}', 422),
    (b'{"query": "a", "now": 5}', 422),
    (b'{"query": "a", "now": "soon"}', 422),
    (b'{"query": "a", "context": "default"}', 422),
    (b'{"query": "a", "context": {"locale": "no locale"}}', 422),
    (b'{"query": "a", "rankingPrefs": {"recency": -1}}', 422),
    (b'{"query": "a", "rankingPrefs": []}', 422),
    (b'{"query": "a", "budget": {"tokens": -1}}', 422),
    (b'{"query": "a", "conversationId": ""}', 422),
]
REQUESTS: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("GET", "/api/nothing", {}, 404, "not_found"),
    ("GET", "/api/ask", {}, 405, "method_not_allowed"),
    ("POST", "/api/documents", {}, 405, "method_not_allowed"),
    ("GET", "/api/documents/none.md", {}, 404, "not_found"),
    ("GET", "/api/documents/", {}, 404, "not_found"),
    ("GET", "/api/documents?limit=0", {}, 422, "invalid_input"),
    ("GET", "/api/documents?limit=x", {}, 422, "invalid_input"),
    ("GET", f"/api/documents?after={'x' * 2_000}", {}, 422, "invalid_input"),
    ("GET", "/api/entities", {}, 422, "invalid_input"),
    ("GET", "/api/entities?name=a&mode=near", {}, 422, "invalid_input"),
    ("GET", "/api/status", {"headers": {"accept": "image/png"}}, 406, "not_acceptable"),
    (
        "GET",
        "/api/status",
        {"headers": {"accept": "application/json;q=0, text/html"}},
        406,
        "not_acceptable",
    ),
    (
        "POST",
        "/api/ask",
        {"json": {"query": "a"}, "headers": {"accept": "text/plain"}},
        406,
        "not_acceptable",
    ),
    ("POST", "/api/ask", {"data": {"query": "a"}}, 415, "unsupported_media_type"),
    ("POST", "/api/ask", {"content": b'{"query":"a"}'}, 415, "unsupported_media_type"),
]


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> Replies:
    """What one server says to all of it."""

    async def task() -> Replies:
        async with door(tmp_path_factory.mktemp("refusals")) as one:
            found = {
                str(body): await one.client.post("/api/ask", content=body, headers=JSON)
                for body, _ in BODIES
            }
            for at, (method, path, rest, _, _) in enumerate(REQUESTS):
                found[str(at)] = await one.client.request(method, path, **rest)
            return found

    return asyncio.run(task())


def _refused(folder: Path, method: str, path: str, **request: Any) -> httpx2.Response:
    async def task() -> httpx2.Response:
        async with door(folder) as one:
            return await one.client.request(method, path, **request)

    return _checked(asyncio.run(task()))


def _checked(reply: httpx2.Response) -> httpx2.Response:
    assert reply.headers["content-type"] == "application/problem+json"
    problem = reply.json()
    assert problem["status"] == reply.status_code
    assert problem["requestId"] == reply.headers["x-request-id"]
    assert problem["type"] == f"urn:sextant:{problem['code']}"
    assert problem["hint"]
    return reply


@pytest.mark.parametrize(("body", "status"), BODIES, ids=lambda one: str(one)[:60])
def test_a_body_that_is_no_question_is_refused(replies: Replies, body: bytes, status: int) -> None:
    assert _checked(replies[str(body)]).status_code == status


@pytest.mark.parametrize("at", range(len(REQUESTS)))
def test_what_http_can_get_wrong_has_its_own_status(replies: Replies, at: int) -> None:
    reply = _checked(replies[str(at)])
    assert (reply.status_code, reply.json()["code"]) == REQUESTS[at][3:]


def test_each_wrong_field_is_named_and_nothing_huge_is_said_again(tmp_path: Path) -> None:
    body = {"query": HUGE, "personaId": HUGE, "topK": "5", "context": {"tenantId": HUGE}}
    reply = _refused(tmp_path, "POST", "/api/ask", json=body)
    assert reply.status_code == 422
    assert {one["field"] for one in reply.json()["errors"]} == {
        "query",
        "personaId",
        "topK",
        "context.tenantId",
    }
    assert len(reply.content) < 2_000


def test_an_unknown_name_that_is_huge_is_not_said_again(tmp_path: Path) -> None:
    body = {"verdict": "helpful", "documentId": "a", "answer": {HUGE: {HUGE: HUGE}}}
    reply = _refused(tmp_path, "POST", "/api/feedback", json=body)
    assert reply.status_code == 422
    assert len(reply.content) < 8_000


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/profiles/a", "DELETE, GET, PUT"),
        ("/api/backups/a", "DELETE, GET"),
        ("/api/jobs/a/events", "GET"),
    ],
)
def test_what_can_be_done_with_a_path_is_told_where_something_else_was_tried(
    tmp_path: Path, path: str, methods: str
) -> None:
    reply = _refused(tmp_path, "PATCH", path)
    assert reply.status_code == 405
    assert reply.headers["allow"] == methods
