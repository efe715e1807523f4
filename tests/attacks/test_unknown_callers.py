"""Who guesses tokens is in the audit log, and cannot fill it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2

from sextant.serve.records.audit import FILE
from sextant.serve.records.folder import server_folder
from tests.serve.jobs.working import in_loop
from tests.serve.rest.sending import api
from tests.serve.running import small

GUESS = f"sxt_{'0' * 12}_{'a' * 64}"


def refusals(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of who was not let in; the server has to be closed."""
    text = (server_folder(small(folder)) / FILE).read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    return [line for line in lines if line["verb"] == "authenticate"]


@in_loop
async def test_a_wrong_token_is_noted_with_its_address_without_the_token(
    tmp_path: Path,
) -> None:
    async with api(tmp_path) as door, httpx2.AsyncClient(base_url=door.server.url) as stranger:
        headers = {"Authorization": f"Bearer {GUESS}"}
        answer = await stranger.get("/api/documents?q=1", headers=headers)
        assert answer.status_code == 401
        assert (await stranger.post("/mcp", json={})).status_code == 401
    first, second = refusals(tmp_path)
    assert first["requestId"] == answer.json()["requestId"]
    assert (first["caller"], first["outcome"]) == ("address:127.0.0.1", "refused")
    assert (first["subject"], first["reason"]) == ("GET /api/documents", "The token is not valid.")
    assert (second["subject"], second["door"]) == ("POST /mcp", "mcp")
    assert GUESS not in json.dumps([first, second])


@in_loop
async def test_many_wrong_tokens_are_a_few_lines_that_say_how_many(tmp_path: Path) -> None:
    async with api(tmp_path) as door, httpx2.AsyncClient(base_url=door.server.url) as stranger:
        for _ in range(50):
            assert (await stranger.get("/api/documents")).status_code == 401
    assert 10 <= len(refusals(tmp_path)) <= 20
