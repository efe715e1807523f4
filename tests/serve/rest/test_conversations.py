"""A conversation is read and forgotten by the user and persona that had it, and by nobody else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2

from sextant.serve.caller import Role
from sextant.types import Scope
from tests.serve.rest.knowing import EVERYONE, door, page, told
from tests.serve.rest.sending import WRITER, api, refused

AT = "/api/conversations/c1"


async def _ask(client: httpx2.AsyncClient, name: str, **more: Any) -> Any:
    body = {"query": "Where is the Hub?", "conversationId": name, **more}
    return told(await client.post("/api/ask", json=body))


def test_what_was_said_is_read_in_order_and_can_be_forgotten(tmp_path: Path) -> None:
    odd = "a/b ü?#1"

    async def task() -> None:
        async with door(tmp_path) as one:
            await one.server.house.sextant.write(EVERYONE, [page("a.md", "Hub is in Oslo.")])
            answer = await _ask(one.client, odd)
            at = f"/api/conversations/{quote(odd, safe='')}"
            reply = await one.client.get(at)
            assert told(reply) == {
                "conversationId": odd,
                "turns": [
                    {"role": "user", "text": "Where is the Hub?"},
                    {"role": "assistant", "text": answer["answer"]},
                ],
            }
            known = {"if-none-match": reply.headers["etag"]}
            assert (await one.client.get(at, headers=known)).status_code == 304
            assert (await one.client.delete(at)).status_code == 204
            for gone in (await one.client.get(at), await one.client.delete(at)):
                refused(gone, 404, "not_found")
            assert (await _ask(one.client, odd))["conversationId"] == odd

    asyncio.run(task())


def test_nobody_else_reads_or_forgets_it(tmp_path: Path) -> None:
    async def task() -> None:
        trusted = WRITER | {Role.ON_BEHALF}
        async with (
            api(tmp_path) as house,
            house.client(roles=trusted) as service,
            house.client(roles=frozenset({Role.READ})) as reader,
            house.client("beta", roles=trusted) as stranger,
        ):
            pages = [page("a.md", "Hub is in Oslo.")]
            for tenant in ("acme", "beta"):
                await house.server.house.sextant.write(Scope(tenant), pages)
            ann = {"user": {"aadObjectId": "ann"}}
            await _ask(service, "c1", personaId="sre", **ann)
            hers = {"aadObjectId": "ann", "personaId": "sre"}
            others: list[dict[str, str]] = [{}, {**hers, "aadObjectId": "bob"}]
            others.append({"aadObjectId": "ann"})
            for client, whose in [*((service, one) for one in others), (stranger, hers)]:
                refused(await client.get(AT, params=whose), 404, "not_found")
                refused(await client.delete(AT, params=whose), 404, "not_found")
            refused(await reader.get(AT), 403, "forbidden")
            assert len(told(await service.get(AT, params=hers))["turns"]) == 2
            assert (await service.delete(AT, params=hers)).status_code == 204

    asyncio.run(task())


def test_conversations_are_listed_page_by_page_to_whoever_had_them(tmp_path: Path) -> None:
    async def task() -> None:
        trusted = WRITER | {Role.ON_BEHALF}
        async with (
            api(tmp_path) as house,
            house.client(roles=trusted) as service,
            house.client(roles=frozenset({Role.READ})) as reader,
            house.client("beta", roles=trusted) as stranger,
        ):
            for tenant in ("acme", "beta"):
                pages = [page("a.md", "Hub is in Oslo.")]
                await house.server.house.sextant.write(Scope(tenant), pages)
            ann = {"user": {"aadObjectId": "ann"}}
            for name in ("first", "a/b ü", "first", "last"):
                await _ask(service, name, **ann)
            await _ask(service, "secret", personaId="sre", **ann)
            hers = {"aadObjectId": "ann"}
            rows: list[dict[str, Any]] = []
            reply = await service.get("/api/conversations", params={**hers, "limit": "2"})
            while True:
                body = told(reply)
                rows += body["conversations"]
                if not body["next"]:
                    break
                assert reply.headers["link"] == f'<{body["next"]}>; rel="next"'
                reply = await service.get(body["next"])
            assert [(row["conversationId"], row["turns"]) for row in rows] == [
                ("last", 2),
                ("first", 4),
                ("a/b ü", 2),
            ]
            times = [row["changed"] for row in rows]
            assert sorted(times, reverse=True) == times
            for client, whose in (
                (service, {}),
                (service, {"aadObjectId": "bob"}),
                (stranger, hers),
            ):
                assert told(await client.get("/api/conversations", params=whose)) == {
                    "conversations": [],
                    "next": None,
                }
            refused(await reader.get("/api/conversations"), 403, "forbidden")
            wrong = {**hers, "after": "none of these"}
            refused(await service.get("/api/conversations", params=wrong), 422, "invalid_input")

    asyncio.run(task())
