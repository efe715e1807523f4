"""Ranking profiles are saved, read, listed and deleted; nobody's change is lost unseen."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sextant.serve.caller import Role
from tests.serve.rest.knowing import door, told
from tests.serve.rest.sending import TENANT, WRITER, api, refused

AT = "/api/profiles/fresh"


def test_a_profile_is_saved_for_a_persona_or_for_all(tmp_path: Path) -> None:
    async def task() -> tuple[Any, ...]:
        async with door(tmp_path) as one:
            body = {"weights": {"recency": 1}, "halfLifeDays": 30, "default": True}
            own = told(await one.client.put(f"{AT}?personaId=sre", json=body))
            odd = told(await one.client.put("/api/profiles/a%2Fb%20c", json={}))
            lists = [
                [one["name"] for one in told(await one.client.get(at))["profiles"]]
                for at in ("/api/profiles", "/api/profiles?personaId=sre")
            ]
            read = told(await one.client.get(f"{AT}?personaId=sre"))
            return own, odd, lists, read, (await one.client.get(AT)).status_code

    own, odd, lists, read, for_all = asyncio.run(task())
    assert own == read
    assert (own["persona"], own["weights"]["recency"], own["halfLifeDays"]) == ("sre", 1.0, 30.0)
    assert odd["name"] == "a/b c"
    assert lists == [["a/b c"], ["fresh", "a/b c"]]
    assert for_all == 404


def test_a_change_of_another_state_than_was_read_is_refused(tmp_path: Path) -> None:
    async def task() -> list[int]:
        async with door(tmp_path) as one:

            async def put(days: int, **headers: str) -> httpx2.Response:
                named = {name.replace("_", "-"): value for name, value in headers.items()}
                return await one.client.put(AT, json={"halfLifeDays": days}, headers=named)

            first = await put(1, if_none_match="*")
            tag = first.headers["etag"]
            assert (await one.client.get(AT)).headers["etag"] == tag
            replies = [first, await put(2, if_none_match="*"), await put(2, if_match=tag)]
            replies += [await put(3, if_match=tag), await put(3, if_match="*")]
            stale, now = {"if-match": tag}, {"if-match": replies[-1].headers["etag"]}
            replies.append(await one.client.delete(AT, headers=stale))
            replies.append(await one.client.delete(AT, headers=now))
            replies += [await put(4, if_match="*"), await one.client.delete(AT)]
            return [reply.status_code for reply in replies]

    assert asyncio.run(task()) == [200, 412, 200, 412, 200, 412, 204, 412, 404]


def test_of_two_changes_of_one_state_only_one_is_made(tmp_path: Path) -> None:
    async def task() -> list[int]:
        async with door(tmp_path) as one:
            tag = (await one.client.put(AT, json={})).headers["etag"]
            replies = await asyncio.gather(
                *(
                    one.client.put(AT, json={"halfLifeDays": days}, headers={"if-match": tag})
                    for days in range(1, 9)
                )
            )
            return sorted(reply.status_code for reply in replies)

    assert asyncio.run(task()) == [200] + [412] * 7


@pytest.mark.parametrize(
    "body",
    [
        {"weights": {"recency": -1}},
        {"weights": dict.fromkeys(("relevancy", "recency", "richness", "reputation"), 0)},
        {"weights": {"recency": "1"}},
        {"halfLifeDays": 0},
        {"default": "yes"},
        [],
    ],
)
def test_what_cannot_rank_is_not_saved(tmp_path: Path, body: Any) -> None:
    async def task() -> tuple[Any, Any]:
        async with door(tmp_path) as one:
            refused = told(await one.client.put(AT, json=body), 422)
            return refused, told(await one.client.get("/api/profiles"))

    refused, listed = asyncio.run(task())
    assert refused["detail"]
    assert listed == {"profiles": []}


def test_only_who_acts_for_all_personas_or_runs_the_server_ranks_for_all(tmp_path: Path) -> None:
    async def task() -> list[int]:
        async with (
            api(tmp_path) as house,
            house.client() as nobody,
            house.client(personas=["a", "b"]) as team,
            house.client(personas=["a"], roles=WRITER | {Role.ON_BEHALF}) as service,
            house.client(personas=["*"]) as free,
            house.client(roles=TENANT) as admin,
        ):
            body = {"weights": {"recency": 1}, "default": True}
            refusals = [
                reply
                for client in (nobody, service)
                for reply in (await client.put(AT, json=body), await client.delete(AT))
            ]
            for reply in refusals:
                refused(reply, 403, "forbidden")
            for reply in (await team.put(AT, json=body), await team.delete(AT)):
                refused(reply, 422, "invalid_input")
            assert told(await team.get("/api/profiles")) == {"profiles": []}
            own = f"{AT}?personaId=a"
            statuses = [(await one.put(own, json=body)).status_code for one in (team, service)]
            statuses.append((await team.delete(own)).status_code)
            for client in (free, admin):
                statuses.append((await client.put(AT, json=body)).status_code)
                statuses.append((await client.delete(AT)).status_code)
            return statuses

    assert asyncio.run(task()) == [200, 200, 204, 200, 204, 200, 204]
