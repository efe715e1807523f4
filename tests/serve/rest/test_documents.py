"""Documents: every one is listed once, read under any id, known by its tag, and can be deleted."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from sextant.retrieval.feedback.earned import UNKNOWN
from sextant.retrieval.feedback.use import with_uses
from sextant.types import OPERATOR, Scope
from tests.serve.rest.knowing import EVERYONE, Door, door, page, told
from tests.serve.running import served, small

OPERATING = Scope("default", roles=frozenset({OPERATOR}))
ODD = ["a b/ü#1?.md", "100%.md", "x/../y.md", "q&a=1+2.md", "…/#c0", "ends/", "日本.md"]


async def _walk(one: Door, address: str | None, what: str) -> list[str]:
    found: list[str] = []
    while address:
        reply = await one.client.get(address)
        value = told(reply)
        assert ('rel="next"' in reply.headers.get("link", "")) == (value["next"] is not None)
        found += [item["id"] for item in value[what]]
        address = value["next"]
    return found


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_pages_tell_every_document_once(tmp_path: Path, limit: int) -> None:
    ids = sorted({*ODD, *(f"n{at}.md" for at in range(6))})

    async def task() -> list[str]:
        async with door(tmp_path) as one:
            await one.server.house.sextant.write(EVERYONE, [page(name, "Text.") for name in ids])
            return await _walk(one, f"/api/documents?limit={limit}", "documents")

    assert asyncio.run(task()) == sorted(ids)


def test_a_document_is_read_under_any_id_and_its_chunks_page_by_page(tmp_path: Path) -> None:
    texts = [f"Passage {at}." for at in range(5)]

    async def task() -> dict[str, list[str]]:
        async with door(tmp_path) as one:
            sextant = one.server.house.sextant
            await sextant.write(EVERYONE, [page(name, *texts) for name in ODD])
            return {
                name: await _walk(one, f"/api/documents/{quote(name, safe='')}?limit=2", "chunks")
                for name in ODD
            }

    assert asyncio.run(task()) == {name: [f"{name}#c{at}" for at in range(5)] for name in ODD}


def test_a_document_tells_its_fields_and_none_of_our_own(sample: Path, tmp_path: Path) -> None:
    async def task() -> Any:
        async with door(tmp_path, sample) as one:
            return told(await one.client.get("/api/documents/sample/processes/process-x.md"))

    found = asyncio.run(task())
    assert found["document"]["title"] == "Process X"
    assert found["document"]["modified"] == "2026-06-15T00:00:00Z"
    assert not [name for name in found["document"]["metadata"] if name.startswith("sextant:")]
    assert found["chunkCount"] == len(found["chunks"])
    assert found["version"]


def test_a_document_without_chunks_is_there_too(tmp_path: Path) -> None:
    async def task() -> Any:
        async with door(tmp_path) as one:
            await one.server.house.sextant.write(EVERYONE, [page("empty.md")])
            return told(await one.client.get("/api/documents/empty.md"))

    found = asyncio.run(task())
    assert (found["document"]["id"], found["chunks"], found["next"]) == ("empty.md", [], None)


def test_whoever_has_it_already_is_told_so_until_it_changes(tmp_path: Path) -> None:
    async def task() -> list[tuple[int, int]]:
        async with door(tmp_path) as one:
            write = one.server.house.sextant.write
            await write(EVERYONE, [page("a.md", "Once.")])
            replies = [await one.client.get("/api/documents/a.md")]
            known = {"if-none-match": f'"other", {replies[0].headers["etag"]}'}
            replies.append(await one.client.get("/api/documents/a.md", headers=known))
            await write(EVERYONE, [page("a.md", "Twice.")])
            replies.append(await one.client.get("/api/documents/a.md", headers=known))
            return [(one.status_code, len(one.content) > 0) for one in replies]

    assert asyncio.run(task()) == [(200, True), (304, False), (200, True)]


def test_a_deleted_document_is_gone_and_cannot_be_deleted_again(tmp_path: Path) -> None:
    async def task() -> list[int]:
        async with door(tmp_path) as one:
            await one.server.house.sextant.write(EVERYONE, [page("a/b.md", "Text.")])
            at = "/api/documents/a%2Fb.md"
            return [
                (await one.client.delete(at)).status_code,
                (await one.client.get(at)).status_code,
                (await one.client.delete(at)).status_code,
            ]

    assert asyncio.run(task()) == [204, 404, 404]


def test_what_a_persona_may_not_see_is_not_there_but_for_who_runs_it(tmp_path: Path) -> None:
    async def task() -> list[Any]:
        async with door(tmp_path) as one:
            secret = page("secret.md", "Text.", personas=("sre",))
            await one.server.house.sextant.write(EVERYONE, [secret])
            at = "/api/documents/secret.md"
            found = [
                (await one.client.get(at + query)).status_code
                for query in ("", "?personaId=sre", "?personaId=hr", "?all=true")
            ]
            found.append((await one.client.delete(at)).status_code)
            found.append((await one.client.delete(at + "?all=true")).status_code)
            return found

    assert asyncio.run(task()) == [404, 200, 404, 200, 404, 204]


def test_a_cursor_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    async def task() -> Any:
        async with door(tmp_path) as one:
            await one.server.house.sextant.write(EVERYONE, [page("a.md", "Text.")])
            return told(await one.client.get("/api/documents/a.md?after=b.md%23c0"), 404)

    assert "no such chunk" in asyncio.run(task())["detail"]


def test_reading_counts_as_opening_where_use_is_counted(tmp_path: Path) -> None:
    settings = small(tmp_path)
    counting = replace(settings, ask=replace(settings.ask, count_use=True))

    async def task() -> int:
        async with served(counting) as server, server.client() as client:
            sextant = server.house.sextant
            await sextant.write(EVERYONE, [page("a.md", "Text.")])
            for address in ("/api/documents/a.md", "/api/documents", "/api/documents/a.md"):
                told(await client.get(address))
            known = await with_uses(sextant.store.records, EVERYONE, UNKNOWN, ["a.md"])
            return known.uses["a.md"].opened

    assert asyncio.run(task()) == 2


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_what_is_kept_for_the_house_itself_is_no_document(tmp_path: Path, limit: int) -> None:
    names = ["a.md", "sextans.md", "sextant.md", "sextant;.md", "z.md"]

    async def task() -> tuple[list[str], set[int]]:
        async with door(tmp_path) as one:
            sextant = one.server.house.sextant
            pages = [page(name, "Text.") for name in names[:-1]]
            await sextant.write(EVERYONE, [*pages, page("z.md", "Text.", personas=("sre",))])
            await sextant.alias(EVERYONE, "thing:a.md", "The Big One")
            await sextant.alias(
                replace(EVERYONE, personas=frozenset({"sre"})), "thing:z.md", "The Last One"
            )
            own = [item.id for item in await sextant.store.truth.documents(OPERATING)]
            assert len([name for name in own if name.startswith("sextant:")]) == 2
            listed = await _walk(one, f"/api/documents?limit={limit}&all=true", "documents")
            at = "/api/documents/sextant%3Aoverrules"
            replies = [
                await send(address)
                for send in (one.client.get, one.client.delete)
                for address in (at, f"{at}?all=true")
            ]
            found = told(await one.client.get("/api/entities?name=The%20Big%20One"))["entities"]
            assert [entity["id"] for entity in found][:1] == ["thing:a.md"]
            return listed, {reply.status_code for reply in replies}

    assert asyncio.run(task()) == (sorted(names), {404})
