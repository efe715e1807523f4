"""Entities are found by name, read with the sentences that speak of them, and lead to others."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.serve.rest.knowing import SERVICE_A, door, told


def test_a_name_is_found_as_it_is_asked_for(sample: Path, tmp_path: Path) -> None:
    async def task() -> dict[str, list[str]]:
        async with door(tmp_path, sample) as one:
            asked = {
                "name=Svc-A": "exact",
                "name=Svc-A&mode=exact": "exact",
                "name=Process&mode=exact": "none",
                "name=Process&mode=prefix": "prefix",
                "name=X&mode=word": "word",
                "name=Servise%20A&mode=fuzzy": "fuzzy",
                "name=Service%20A&limit=1": "one",
            }
            return {
                how: [
                    one["id"]
                    for one in told(await one.client.get(f"/api/entities?{query}"))["entities"]
                ]
                for query, how in asked.items()
            }

    found = asyncio.run(task())
    assert found["exact"][0] == SERVICE_A
    assert found["none"] == []
    assert "component:default/process-x" in found["prefix"]
    assert "component:default/process-x" in found["word"]
    assert SERVICE_A in found["fuzzy"]
    assert found["one"] == [SERVICE_A]


def test_an_entity_tells_its_relations_and_who_says_them(sample: Path, tmp_path: Path) -> None:
    async def task() -> Any:
        async with door(tmp_path, sample) as one:
            reply = await one.client.get(f"/api/entities/{SERVICE_A}?limit=50")
            again = await one.client.get(
                f"/api/entities/{SERVICE_A}?limit=50",
                headers={"if-none-match": reply.headers["etag"]},
            )
            assert again.status_code == 304
            return told(reply)

    entity = asyncio.run(task())
    assert (entity["id"], entity["name"]) == (SERVICE_A, "Service A")
    assert "Svc-A" in entity["aliases"]
    needs = [
        one
        for one in entity["relations"]
        if (one["source"], one["kind"]) == ("component:default/process-x", "depends_on")
    ]
    assert needs[0]["target"] == SERVICE_A
    assert "Service A" in needs[0]["sentence"]
    assert needs[0]["evidenceChunkIds"]


def test_relations_are_followed_as_far_and_as_directed(sample: Path, tmp_path: Path) -> None:
    async def expand(one: Any, **body: Any) -> Any:
        body = {"entityIds": [SERVICE_A], "kinds": ["depends_on"], **body}
        return told(await one.client.post("/api/expand", json=body))

    async def task() -> tuple[Any, Any, Any]:
        async with door(tmp_path, sample) as one:
            return (
                await expand(one, direction="in"),
                await expand(one, direction="in", hops=2),
                await expand(one, direction="in", limit=1),
            )

    near, far, few = asyncio.run(task())
    assert {one["target"] for one in near["relations"]} == {SERVICE_A}
    assert {one["hop"] for one in far["relations"]} == {1, 2}
    named = {one["id"] for one in far["entities"]}
    assert {"component:default/process-x", "component:default/claims-handling"} <= named
    assert all(one["evidenceChunkIds"] for one in far["relations"])
    assert (len(few["relations"]), few["truncated"]) == (1, True)


def test_an_unknown_entity_is_not_found_and_leads_nowhere(sample: Path, tmp_path: Path) -> None:
    async def task() -> tuple[Any, ...]:
        async with door(tmp_path, sample) as one:

            async def expand(status: int, *names: str) -> Any:
                reply = await one.client.post("/api/expand", json={"entityIds": names})
                return told(reply, status)

            return (
                told(await one.client.get("/api/entities/nobody"), 404),
                await expand(404, "Xylophone Quarry", "doc:none.md"),
                await expand(200, "Xylophone Quarry", SERVICE_A, "doc:none.md"),
            )

    problem, nothing, some = asyncio.run(task())
    assert problem["hint"]
    assert "GET /api/entities?name=" in nothing["hint"]
    assert some["entities"][0]["id"] == SERVICE_A
    assert some["unknown"] == ["Xylophone Quarry", "doc:none.md"]


def test_relations_are_followed_from_names_as_from_ids(sample: Path, tmp_path: Path) -> None:
    async def task() -> list[Any]:
        async with door(tmp_path, sample) as one:
            return [
                told(await one.client.post("/api/expand", json={"entityIds": [name]}))
                for name in (SERVICE_A, "service a", "Svc-A")
            ]

    by_id, *by_names = asyncio.run(task())
    assert by_id["relations"]
    assert by_id["unknown"] == []
    assert by_names == [by_id, by_id]


def test_status_counts_what_the_caller_sees(sample: Path, tmp_path: Path) -> None:
    async def task() -> tuple[Any, Any]:
        async with door(tmp_path, sample) as one:
            return (
                told(await one.client.get("/api/status")),
                told(await one.client.get("/api/status?all=true")),
            )

    plain, whole = asyncio.run(task())
    assert plain["counts"]["documents"] > 100
    assert plain["sourceTypes"]["catalogue"] > 1
    assert plain["store"] is None
    assert whole["store"]["problems"] == []
    assert whole["store"]["documentsBehind"] == 0
    assert whole["store"]["chunksWithoutVectors"] == 0
    assert "exact scores" in whole["store"]["abilities"]["index"]
    assert whole["store"]["lacking"] == {}
