"""Documents and entities as resources: pages of them, their addresses, and what they hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ReadResourceResult, TextResourceContents

from sextant.types import Chunk, Document, Put, Scope
from tests.serve.mcp.doors import HANDSHAKE, LATEST, with_client
from tests.serve.running import Served

NOWHERE = (
    "sextant://documents/secret%2Fplan.md",
    "sextant://documents/nowhere",
    "sextant://documents/",
    "sextant://entities/nobody",
    "sextant://documents/sextant%3Aoverrules",
    "file:///etc/passwd",
)


def texts(result: ReadResourceResult) -> list[str]:
    return [one.text for one in result.contents if isinstance(one, TextResourceContents)]


def test_a_document_is_read_as_its_text_and_its_metadata(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        listed = (await client.list_resources()).resources
        (queue,) = [one for one in listed if one.name == "docs/queue.md"]
        assert (queue.uri, queue.title) == ("sextant://documents/docs%2Fqueue.md", "Harbor Queue")
        text, metadata = texts(await client.read_resource(queue.uri))
        assert text.startswith("Harbor Queue (HQ) is a queue owned by Team Y.")
        assert json.loads(metadata)["sourceType"] == "markdown"
        assert "sextant:" not in metadata

    with_client(tmp_path, work)


def test_an_entity_is_read_with_its_relations(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        (told,) = texts(await client.read_resource("sextant://entities/harbor-queue"))
        entity = json.loads(told)
        assert entity["name"] == "Harbor Queue"
        assert any("depends on" in one["sentence"] for one in entity["relations"])
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == [
            "sextant://documents/{id}",
            "sextant://entities/{id}",
        ]

    with_client(tmp_path, work)


def test_many_documents_come_in_pages_and_each_comes_once(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        odd = ["ä/ö?#%", "z z", *(f"n{number:03}" for number in range(230))]
        puts = [Put(Document(name), (Chunk(f"{name}#0", "Text."),)) for name in odd]
        await one.house.sextant.write(Scope(), puts)
        names: list[str] = []
        cursor: str | None = None
        pages = 0
        while pages == 0 or cursor:
            page: Any = await client.list_resources(cursor=cursor)
            names += [own.name for own in page.resources]
            cursor, pages = page.next_cursor, pages + 1
        assert pages == 3
        assert sorted(names) == sorted([*odd, "docs/a.md", "docs/queue.md"])
        for name in odd[:2]:
            read = await client.read_resource(f"sextant://documents/{quote(name, safe='')}")
            assert texts(read)[0] == "Text."

    with_client(tmp_path, work)


@pytest.mark.parametrize(("mode", "code"), [(LATEST, -32602), (HANDSHAKE, -32002)])
def test_what_is_not_there_or_hidden_is_not_found(tmp_path: Path, mode: str, code: int) -> None:
    async def work(client: Client, _: Served) -> None:
        for uri in NOWHERE:
            with pytest.raises(MCPError, match="There is no such resource") as missing:
                await client.read_resource(uri)
            assert missing.value.code == code
            assert missing.value.data == {
                "uri": uri,
                "code": "not_found",
                "hint": "List resources to see which there are.",
            }

    with_client(tmp_path, work, mode)


def test_a_cursor_of_somebody_else_is_refused(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        for cursor in ("!!!", "/w==", "Zm9v\u00e9"):
            with pytest.raises(MCPError, match="Unknown cursor"):
                await client.list_resources(cursor=cursor)

    with_client(tmp_path, work)
