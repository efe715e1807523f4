"""The line of the log that says how a request was answered."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from sextant.serve.records.logs import writing_log
from sextant.settings import LogSettings
from tests.serve.running import served, small


def test_a_request_that_is_refused_at_the_door_is_logged_with_the_door_it_came_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def task() -> None:
        async with served(small(tmp_path)) as server, server.client() as client:
            wrong = {"Authorization": "Bearer not-a-token"}
            assert (await client.get("/api/documents/secret", headers=wrong)).status_code == 401
            assert (await client.get("/nowhere", headers=wrong)).status_code == 401

    with writing_log(LogSettings("info", "json")):
        asyncio.run(task())
    lines = [json.loads(line)["message"] for line in capsys.readouterr().err.splitlines()]
    refused, unknown = (line for line in lines if line.startswith("GET "))
    assert refused.startswith("GET /api/*: 401 in ")
    assert unknown.startswith("GET an unknown address: 401 in ")
