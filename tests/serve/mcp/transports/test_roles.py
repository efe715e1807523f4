"""Who lacks the role of a tool is refused as HTTP refuses, and told which role it is."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sextant.serve.records.audit import FILE
from sextant.serve.records.folder import server_folder
from tests.serve.identity.issuer import Issuer, issuing
from tests.serve.mcp.transports.test_http import BOTH, asked, asking
from tests.serve.running import Served, served, small

GIVEN = {"ArtifactId": "n", "Content": "x", "TenantId": "beta"}
LATEST = {"MCP-Protocol-Version": "2026-07-28"}


def refused_lines(one: Served) -> list[dict[str, Any]]:
    """Return what the audit log of a server that has ended says was refused."""
    lines = (server_folder(one.house.settings) / FILE).read_text().splitlines()
    return [line for line in map(json.loads, lines) if line["outcome"] == "refused"]


@pytest.mark.parametrize("version", [{}, LATEST])
@pytest.mark.parametrize("meta", [{}, {"_meta": {"progressToken": "p"}}])
def test_who_lacks_a_tools_role_is_told_which_before_the_answer_begins(
    tmp_path: Path, meta: dict[str, Any], version: dict[str, str]
) -> None:
    call = asking(name="KnowledgeStore_UpsertEntry", arguments=GIVEN, **meta)

    async def run(issuer: Issuer) -> None:
        settings = replace(small(tmp_path), oidc=issuer.settings().oidc)
        token = {"Authorization": f"Bearer {issuer.token()}"}
        async with served(settings, auth="oidc") as one, one.client(**BOTH, **token) as http:
            refused = await http.post("/mcp", json=call, headers=version)
            assert refused.status_code == 403
            assert refused.headers["www-authenticate"] == (
                'Bearer realm="sextant", error="insufficient_scope",'
                ' scope="api://sextant/KnowledgeStore.WriteAccess", resource_metadata='
                f'"{one.url}/.well-known/oauth-protected-resource/mcp"'
            )
            told = refused.json()
            assert (told["id"], told["error"]["data"]["code"]) == (1, "forbidden")
            assert "needs the role KnowledgeStore.WriteAccess" in told["error"]["message"]
            allowed = await http.post("/mcp", json=asked())
            assert allowed.status_code == 200
        (noted,) = refused_lines(one)
        assert noted["verb"] == "KnowledgeStore.UpsertEntry"
        assert (noted["subject"], noted["wantedTenant"]) == ("n", "beta")

    with issuing() as issuer:
        asyncio.run(run(issuer))


def test_a_call_that_cannot_be_read_needs_its_role_too(tmp_path: Path) -> None:
    async def run(issuer: Issuer) -> None:
        settings = replace(small(tmp_path), oidc=issuer.settings().oidc)
        token = {"Authorization": f"Bearer {issuer.token()}"}
        async with served(settings, auth="oidc") as one, one.client(**BOTH, **token) as http:
            unread: list[Any] = [None, 5, {}, {"ArtifactId": []}]
            for arguments in unread:
                call = asking(name="KnowledgeStore.UpsertEntry", arguments=arguments)
                assert (await http.post("/mcp", json=call)).status_code == 403
            unknown = await http.post("/mcp", json=asking(name="No.Tool", arguments={}))
            assert (unknown.status_code, unknown.json()["error"]["code"]) == (200, -32602)

    with issuing() as issuer:
        asyncio.run(run(issuer))
