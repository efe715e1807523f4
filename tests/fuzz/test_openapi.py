"""Whatever is asked of any operation, right or wrong, is answered as the OpenAPI document says."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2

from tests.fuzz.checks import PROBLEM
from tests.fuzz.inside import OTHERS, SECRET, told_of_inside
from tests.fuzz.openapi import Plan, ask_everything
from tests.fuzz.serving import Serving, serving
from tests.serve.running import TOKEN, served, small

CASES = 1_000
"""`make fuzz` sends as many as it is asked to; these keep the suite short."""


def test_no_request_to_any_operation_breaks_the_server_or_its_word(server: Serving) -> None:
    outcome = ask_everything(server, CASES, Plan(examples=3))
    assert outcome.failures == []
    assert outcome.cases >= CASES
    document = httpx2.get(f"{server.url}/openapi.json").json()
    assert len(outcome.statuses) == len(_operations(document))
    assert outcome.never("200", "202", "204") == []
    assert server.log == ""


def test_a_key_of_one_tenant_hears_of_no_other_whatever_it_asks(tmp_path: Path) -> None:
    with serving(tmp_path, "api-key") as server:
        outcome = ask_everything(server, 100, Plan(examples=4, is_whole=False))
        assert outcome.failures == []
        assert outcome.cases >= 100
        assert server.log == ""


def test_nobody_comes_in_without_the_right_token(tmp_path: Path) -> None:
    wrong = ["", "Bearer wrong", f"Bearer {TOKEN}x", f"Basic {TOKEN}"]

    async def task() -> list[httpx2.Response]:
        async with served(small(tmp_path)) as one, httpx2.AsyncClient(base_url=one.url) as http:
            document = (await http.get("/openapi.json")).json()
            return [
                await http.request(method, path, headers={"Authorization": token})
                for method, path in _operations(document)
                for token in wrong
            ]

    replies = asyncio.run(task())
    assert len(replies) >= 80
    for reply in replies:
        assert reply.status_code == 401, reply.request.url
        assert reply.headers["content-type"] == PROBLEM
        assert reply.headers["www-authenticate"].startswith("Bearer")


def test_what_must_not_be_told_is_found_where_it_is(tmp_path: Path) -> None:
    told = [
        f"unable to open {tmp_path}/s/store.sqlite",
        "Traceback (most recent call last):",
        'File "x.py", line 3',
        "/usr/lib/python3/site-packages/x",
        "sqlite3.OperationalError: no such table",
        "<sextant.core.Sextant object at 0x7f00>",
        f"There is a tenant {OTHERS}.",
        f"The {SECRET} is ours.",
    ]
    assert all(told_of_inside(text, tmp_path) for text in told)
    assert not told_of_inside("There is no document 'a.md'.", tmp_path)
    assert not told_of_inside(f"There is no document {SECRET!r}.", tmp_path, f"GET /{SECRET}")


def _operations(document: Any) -> list[tuple[str, str]]:
    return [(method.upper(), path) for path, own in document["paths"].items() for method in own]
