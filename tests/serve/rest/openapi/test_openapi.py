"""The OpenAPI document is whole, open to all, and shown by a page that loads nothing."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.serve.rest.knowing import door, told


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, httpx2.Response]:
    async def task() -> tuple[Any, httpx2.Response]:
        async with (
            door(tmp_path_factory.mktemp("openapi")) as one,
            httpx2.AsyncClient(base_url=one.server.url) as nobody,
        ):
            return told(await nobody.get("/openapi.json")), await nobody.get("/docs")

    return asyncio.run(task())


def _operations(document: Any) -> list[Any]:
    return [one for own in document["paths"].values() for one in own.values()]


def test_every_operation_tells_what_it_does_and_how_it_fails(shown: Any) -> None:
    document, _ = shown
    operations = _operations(document)
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names) >= 14
    for one in operations:
        assert one["summary"], one
        assert one["description"], one
        always = {"400", "401", "403", "408", "413", "415", "421", "422", "429", "431", "503"}
        assert always <= set(one["responses"])
        for status, reply in one["responses"].items():
            if int(status) >= 400:
                assert list(reply["content"]) == ["application/problem+json"]
    assert document["security"] == [{"bearer": []}]
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"


def test_every_reference_leads_somewhere(shown: Any) -> None:
    document, _ = shown
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
    assert "Problem" in named
    assert named <= set(document["components"]["schemas"])


def test_every_text_number_and_list_of_a_request_has_a_limit(shown: Any) -> None:
    document, _ = shown
    schemas = document["components"]["schemas"]

    def unbounded(schema: Any, place: str) -> list[str]:
        if "$ref" in schema:
            return unbounded(schemas[schema["$ref"].rpartition("/")[2]], place)
        found: list[str] = []
        kind = schema.get("type")
        if kind == "string" and not {"maxLength", "enum", "const", "format"} & set(schema):
            found.append(place)
        if kind == "integer" and not {"minimum", "maximum"} <= set(schema):
            found.append(place)
        if kind == "array":
            found += [] if "maxItems" in schema else [place]
            found += unbounded(schema["items"], f"{place}[]")
        for one in schema.get("anyOf", ()):
            found += unbounded(one, place)
        for name, one in schema.get("properties", {}).items():
            found += unbounded(one, f"{place}.{name}")
        return found

    for name in ("AskRequest", "SearchRequest", "ExpandRequest", "ProfileRequest"):
        assert unbounded(schemas[name], name) == []


def test_the_page_lists_every_operation_and_loads_nothing(shown: Any) -> None:
    document, page = shown
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    for path in document["paths"]:
        assert f"<code>{path}</code>" in page.text
    assert re.findall(r'(?:href|src)="([^"]*)"', page.text) == ["/openapi.json"]
    assert "<script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "style-src 'sha256-" in page.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
def test_who_has_it_already_is_not_sent_it_again(tmp_path: Path, path: str) -> None:
    async def task() -> list[httpx2.Response]:
        async with door(tmp_path) as one:
            first = await one.client.get(path)
            known = {"If-None-Match": first.headers["etag"]}
            head = await one.client.head(path)
            return [
                first,
                await one.client.get(path),
                head,
                await one.client.get(path, headers=known),
            ]

    first, again, head, known = asyncio.run(task())
    assert first.content == again.content
    assert (head.status_code, head.content) == (200, b"")
    assert (known.status_code, known.content) == (304, b"")
    assert known.headers["etag"] == first.headers["etag"]
