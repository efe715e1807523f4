"""What the house says of itself, and to whom."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sextant import build
from sextant.ingest.threads import in_thread
from sextant.llms.tiny import Tiny
from sextant.prompting.network.trust import trusted
from sextant.serve.caller import Role
from sextant.settings import Settings
from sextant.types import Chunk, Document, Put, Scope
from tests.serve.identity.making import Keys
from tests.serve.running import Served, served, small

MORE_THAN_THREADS = 64


async def _rebuild_beside(server: Served, settings: Settings) -> None:
    """Write to a server's store, and make its vectors anew by another embedder, as others may."""
    put = Put(Document("d", "Pods"), (Chunk("d#1", "restart the pods"),))
    await server.house.sextant.write(Scope("acme"), [put])
    beside = await build.open_store(settings, adopt=True)
    await beside.admin.rebuild(Scope("acme"), Tiny(32))
    await beside.admin.close()


async def _get(server: Served, path: str, **headers: str) -> httpx2.Response:
    async with httpx2.AsyncClient(base_url=server.url, verify=trusted()) as client:
        return await client.get(path, headers=headers)


def test_health_readiness_and_the_index_are_open_and_name_nothing_of_the_inside(
    tmp_path: Path,
) -> None:
    async def task() -> list[httpx2.Response]:
        async with served(small(tmp_path), tenant="acme") as server:
            return [await _get(server, path) for path in ("/health", "/ready", "/")]

    health, ready, index = asyncio.run(task())
    assert health.json() == {"status": "alive"}
    parts = dict.fromkeys(("store", "embedder", "threads", "jobs"), True)
    assert ready.json() == {"status": "ready", **parts}
    assert index.json()["mcp"] == "/mcp"
    for answer in (health, ready, index):
        assert answer.status_code == 200
        assert "acme" not in answer.text
        assert str(tmp_path) not in answer.text


def test_a_store_that_does_not_answer_is_not_ready_and_still_alive(tmp_path: Path) -> None:
    async def task() -> tuple[httpx2.Response, httpx2.Response]:
        async with served(small(tmp_path)) as server:
            await server.house.sextant.store.admin.close()
            return await _get(server, "/ready"), await _get(server, "/health")

    ready, health = asyncio.run(task())
    assert (ready.status_code, health.status_code) == (503, 200)
    assert ready.json()["store"] is False
    assert int(ready.headers["retry-after"]) > 0


def test_a_store_whose_vectors_are_made_anew_by_another_embedder_is_not_ready(
    tmp_path: Path,
) -> None:
    async def task() -> httpx2.Response:
        async with served(small(tmp_path), tenant="acme") as server:
            await _rebuild_beside(server, small(tmp_path))
            return await _get(server, "/ready")

    ready = asyncio.run(task())
    assert (ready.status_code, ready.json()["store"]) == (503, False)


def test_what_a_caller_is_not_told_is_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def task() -> httpx2.Response:
        async with served(small(tmp_path), tenant="acme") as server:
            await _rebuild_beside(server, small(tmp_path))
            async with server.client() as client:
                return await client.post("/api/ask", json={"query": "pods"})

    refused = asyncio.run(task())
    assert (refused.status_code, refused.json()["code"]) == (503, "embedder_mismatch")
    assert "tiny" not in refused.text
    (line,) = [one.getMessage() for one in caplog.records if "embedder_mismatch" in one.message]
    assert "tiny:32" in line


@pytest.mark.parametrize(("take", "part"), [(asyncio.to_thread, "threads"), (in_thread, "jobs")])
def test_threads_in_which_nothing_gets_its_turn_are_not_ready_and_named(
    tmp_path: Path, take: Callable[..., Coroutine[Any, Any, bool]], part: str
) -> None:
    async def task() -> httpx2.Response:
        async with served(small(tmp_path)) as server:
            through = threading.Event()
            stuck = [asyncio.create_task(take(through.wait)) for _ in range(MORE_THAN_THREADS)]
            try:
                return await _get(server, "/ready")
            finally:
                through.set()
                await asyncio.gather(*stuck)

    ready = asyncio.run(task())
    assert ready.status_code == 503
    parts = ready.json()
    assert [name for name, answers in parts.items() if answers is False] == [part]


@pytest.mark.parametrize(
    ("roles", "status"),
    [({Role.ADMIN, Role.ON_BEHALF}, 200), ({Role.ADMIN}, 403), ({Role.ON_BEHALF}, 403)],
)
def test_only_who_runs_the_server_reads_the_numbers_of_all_tenants(
    tmp_path: Path, roles: set[Role], status: int
) -> None:
    (tmp_path / "keys").mkdir(mode=0o700)
    with closing(Keys(tmp_path / "keys")) as keys:
        _, key = keys.create("ops", "acme", roles)

    async def task() -> httpx2.Response:
        options = {"auth": "api-key", "folder": str(tmp_path / "keys")}
        async with served(small(tmp_path), **options) as server:
            await _get(server, "/api/documents/of-acme", Authorization=f"Bearer {key}")
            return await _get(server, "/metrics", Authorization=f"Bearer {key}")

    answer = asyncio.run(task())
    assert answer.status_code == status
    assert "acme" not in answer.text
    assert ("sextant_request_seconds_bucket" in answer.text) == (status == 200)
    both = "This needs the roles Sextant.Admin and OnBehalf."
    assert (both in answer.text) == (status == 403)
    assert ("insufficient_scope" in answer.headers.get("www-authenticate", "")) == (status == 403)
