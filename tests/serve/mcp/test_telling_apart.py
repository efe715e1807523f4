"""What is asked over MCP has one meaning: no field comes twice, whatever its spelling."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic import AliasChoices, BaseModel

from sextant.serve.mcp.whole import every_tool
from tests.serve.mcp.doors import OTHER
from tests.serve.mcp.transports.test_http import BOTH, asking
from tests.serve.running import served, small

TWICE = (
    '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": '
    '"RAGPipeline.SearchAndRank", "arguments": {"UserQueryText": "Harbor", "TenantId": "default",'
    ' "TenantId": "other"}}}'
)


def test_a_field_that_comes_twice_is_refused(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(small(tmp_path)) as one, one.client(**BOTH) as http:
            kind = {"Content-Type": "application/json"}
            for version in ({}, {"MCP-Protocol-Version": "2026-07-28"}):
                refused = await http.post("/mcp", content=TWICE, headers=kind | version)
                assert refused.status_code == 400
                assert "a field comes twice" in refused.json()["error"]["message"]

    asyncio.run(run())


def test_a_field_in_two_spellings_is_refused_by_every_tool(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(small(tmp_path)) as one, one.client(**BOTH) as http:
            for tool in every_tool(one.house.sextant):
                for names in _spellings(tool.takes):
                    call = asking(name=tool.name, arguments=dict.fromkeys(names, "x"))
                    result = (await http.post("/mcp", json=call)).json()["result"]
                    assert result["isError"], (tool.name, names)
                    assert names[1] in result["content"][0]["text"], (tool.name, names)
            spelt = {"UserQueryText": "Harbor", "TenantId": "default", "tenantId": OTHER}
            refused = await http.post("/api/search", json=spelt)
            assert refused.status_code == 422
            (fault,) = refused.json()["errors"]
            assert fault["field"] == "tenantId"
            assert "twice" in fault["message"]

    asyncio.run(run())


def _spellings(model: type[BaseModel]) -> list[list[str]]:
    """Return the names of each field that has several."""
    aliases = [field.validation_alias for field in model.model_fields.values()]
    return [
        [str(name) for name in alias.choices]
        for alias in aliases
        if isinstance(alias, AliasChoices)
    ]
