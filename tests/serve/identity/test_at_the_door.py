"""Keys and tokens with a real server: what a client is told, and what it gets."""

import asyncio
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import httpx2

from sextant.serve.caller import Role
from sextant.serve.records.audit import FILE
from sextant.serve.records.folder import server_folder
from tests.serve.identity.issuer import Issuer
from tests.serve.identity.making import Keys
from tests.serve.running import served, small

QUESTION = {"query": "Who owns A?", "topK": 3}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_client_finds_the_issuer_and_comes_in_with_its_token(
    issuer: Issuer, tmp_path: Path
) -> None:
    async def task() -> None:
        own = replace(small(tmp_path), oidc=issuer.settings().oidc)
        async with (
            served(own, auth="oidc") as server,
            httpx2.AsyncClient(base_url=server.url) as client,
        ):
            refused = await client.post("/api/search", json=QUESTION)
            assert refused.status_code == 401
            said = refused.headers["www-authenticate"]
            assert said.startswith("Bearer ")
            assert "error=" not in said
            where = said.partition('resource_metadata="')[2].partition('"')[0]
            told = (await client.get(where)).json()
            assert told["authorization_servers"] == [issuer.url]
            late = await client.post(
                "/api/search", json=QUESTION, headers=bearer(issuer.token(exp=1))
            )
            assert late.status_code == 401
            assert 'error="invalid_token"' in late.headers["www-authenticate"]
            assert late.json()["detail"] == "The token has expired."
            fine = await client.post("/api/search", json=QUESTION, headers=bearer(issuer.token()))
            assert fine.status_code == 200, fine.text
            lacking = await client.get("/metrics", headers=bearer(issuer.token()))
            assert lacking.status_code == 403
            assert 'error="insufficient_scope"' in lacking.headers["www-authenticate"]
        lines = (server_folder(server.house.settings) / FILE).read_text().splitlines()
        told = [json.loads(line) for line in lines]
        assert {one["tenant"] for one in told if one["verb"] != "authenticate"} == {"acme"}

    asyncio.run(task())


def test_a_key_opens_its_own_tenant_until_it_is_revoked(tmp_path: Path) -> None:
    async def task() -> None:
        with closing(Keys(server_folder(small(tmp_path)))) as keys:
            key, text = keys.create("ci", "acme", [Role.SEARCH])
            async with (
                served(small(tmp_path), auth="api-key") as server,
                httpx2.AsyncClient(base_url=server.url, headers=bearer(text)) as client,
            ):
                assert (await client.post("/api/search", json=QUESTION)).status_code == 200
                other = {**QUESTION, "context": {"tenantId": "umbrella"}}
                assert (await client.post("/api/ask", json=other)).status_code == 403
                keys.revoke(key.id)
                ended = await client.post("/api/search", json=QUESTION)
                assert ended.status_code == 401
                assert ended.json()["detail"] == "The key is revoked."

    asyncio.run(task())
