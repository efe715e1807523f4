"""Specification 001: who may search, for whom, and what the log says of it."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from sextant.serve.caller import Role
from sextant.serve.records.folder import server_folder
from sextant.serve.records.logs import writing_log
from sextant.settings import LogSettings, load
from tests.seeds.requirement import requirement
from tests.serve.identity.issuer import issuing
from tests.serve.identity.making import Keys
from tests.serve.mcp.doors import MOVE, take_in
from tests.serve.running import served, small

QUERY = {"UserQueryText": MOVE, "TopKFinalRank": 50}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@requirement("001-034", "001-036", "001-037", "001-039")
def test_only_who_may_search_gets_in_and_only_to_its_own(tmp_path: Path) -> None:
    async def task() -> None:
        await take_in(tmp_path)
        with closing(Keys(server_folder(small(tmp_path)))) as keys:
            search = keys.create("search", "default", [Role.SEARCH], ["sre"])[1]
            narrow = keys.create("narrow", "default", [Role.SEARCH], ["finance"])[1]
            reader = keys.create("reader", "default", [Role.READ])[1]
        async with (
            served(small(tmp_path), auth="api-key") as server,
            httpx2.AsyncClient(base_url=server.url, timeout=30) as client,
        ):

            async def status(token: str, **more: object) -> int:
                headers = bearer(token) if token else {}
                sent = await client.post("/api/search", json={**QUERY, **more}, headers=headers)
                return sent.status_code

            async def titles(token: str, **more: object) -> set[str]:
                sent = await client.post(
                    "/api/search", json={**QUERY, **more}, headers=bearer(token)
                )
                return {one["title"] for one in sent.json()["results"]}

            assert await status("") == 401
            assert await status("sxt_unknown") == 401
            assert await status(reader) == 403
            assert await status(search, TenantId="default") == 200
            assert await status(search, TenantId="other") == 403
            assert await status(narrow, PersonaId="finance") == 200
            assert await status(narrow, PersonaId="sre") == 403
            assert "Harbor Queue plan" in await titles(search, PersonaId="sre")
            assert "Harbor Queue plan" not in await titles(narrow)

    asyncio.run(task())


@requirement("001-035", "001-037")
def test_a_token_is_checked_for_its_signature_audience_issuer_and_tenant(tmp_path: Path) -> None:
    async def task() -> None:
        with issuing() as issuer:
            own = replace(small(tmp_path), oidc=issuer.settings().oidc)
            async with (
                served(own, auth="oidc") as server,
                httpx2.AsyncClient(base_url=server.url, timeout=30) as client,
            ):

                async def status(token: str, **more: object) -> int:
                    sent = await client.post(
                        "/api/search", json={**QUERY, **more}, headers=bearer(token)
                    )
                    return sent.status_code

                assert await status(issuer.token(), TenantId="acme") == 200
                assert await status(issuer.token(aud="api://another")) == 401
                assert await status(issuer.token(iss="https://elsewhere.example")) == 401
                assert await status(issuer.signed(issuer.claims(), "two")) == 401
                assert await status(issuer.token(roles=[])) == 403
                assert await status(issuer.token(), TenantId="umbrella") == 403

    asyncio.run(task())


@requirement("001-045")
def test_lines_are_json_with_request_and_tenant_from_the_level_that_is_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def task() -> None:
        await take_in(tmp_path)
        async with served(small(tmp_path)) as server, server.client() as client:
            named = {"X-Request-Id": "r-42"}
            sent = await client.post("/api/search", json=QUERY, headers=named)
            assert sent.status_code == 200

    with writing_log(LogSettings("info", "json")):
        asyncio.run(task())
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (line,) = [one for one in lines if one.get("requestId") == "r-42"]
    assert (line["level"], line["tenant"]) == ("info", "default")
    assert line["message"].startswith("POST /api/search: 200 in ")
    assert line["time"].endswith("Z")
    assert MOVE not in json.dumps(lines)
    assert server_token_is_hidden(lines)
    with writing_log(LogSettings()):
        logging.getLogger("sextant.serve").info("not told")
    assert capsys.readouterr().err == ""
    chosen = load(tmp_path, {"SEXTANT_LOG_LEVEL": "debug", "SEXTANT_LOG_FORMAT": "json"})
    assert chosen.settings.log == LogSettings("debug", "json")


def server_token_is_hidden(lines: list[dict[str, str]]) -> bool:
    return not any("token-for-tests" in json.dumps(line) for line in lines)
