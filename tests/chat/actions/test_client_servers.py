"""Servers that a page names: only where it is switched on, only allowed https, never a command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from sextant.chat.actions.client_servers import check_reachable, client_servers_in
from sextant.errors import Forbidden, InvalidInput, UnsafeSource
from sextant.settings import ChatSettings, IngestSettings
from sextant.testing.scripted import Scripted
from sextant.types import RunFailed, RunFinished
from tests.chat.running import ANN, PLAIN, events_of, opened, request
from tests.core.test_gateway import READ, LocalServer

_ALLOWED = ("https://mcp.example/tools", "https://other.example:8443")
_ADDRESS = "https://mcp.example/tools/files"


def _named(address: Any, **more: Any) -> dict[str, Any]:
    return {"mcpServers": [{"endpoint": address, **more}]}


@pytest.mark.parametrize(
    "address",
    [
        "https://mcp.example/tools",
        "https://MCP.example/tools/",
        "https://mcp.example:443/tools/a?b=c",
        "https://other.example:8443/anything",
    ],
)
def test_an_address_below_one_that_is_allowed_is_taken(address: str) -> None:
    (server,) = client_servers_in(_named(address, apiKey="k-1"), _ALLOWED)
    assert (server.address, server.key) == (address, "k-1")
    assert "k-1" not in repr(server)


@pytest.mark.parametrize(
    "address",
    [
        "http://mcp.example/tools",
        "https://mcp.example/toolsheds",
        "https://mcp.example/tools/../admin",
        "https://mcp.example/tools/%2e%2e/admin",
        "https://mcp.example/tools/%252e%252e/admin",
        "https://mcp.example.evil.example/tools",
        "https://mcp.example@evil.example/tools",
        "https://evil.example/https://mcp.example/tools",
        "https://mcp.example\\@evil.example/tools",
        "https://mcp.example:8443/tools",
        "https://other.example/anything",
        "npx -y @modelcontextprotocol/server-everything",
        "file:///etc/passwd",
        "stdio:cat",
        "https://[::1",
        "",
    ],
)
def test_any_other_address_and_every_command_is_refused(address: str) -> None:
    with pytest.raises(Forbidden, match="not among those"):
        client_servers_in(_named(address), _ALLOWED)


def test_where_it_is_not_switched_on_no_server_is_taken_and_none_is_missed() -> None:
    assert client_servers_in({"theme": "dark"}, ()) == ()
    assert client_servers_in({"mcpServers": []}, ()) == ()
    with pytest.raises(Forbidden, match="takes no MCP servers"):
        client_servers_in(_named(_ADDRESS), ())


@pytest.mark.parametrize(
    "wrong",
    [
        {"mcpServers": "https://mcp.example/tools"},
        {"mcpServers": ["https://mcp.example/tools"]},
        {"mcpServers": [{"endpoint": 5}]},
        {"mcpServers": [{"endpoint": _ADDRESS, "apiKey": "a\r\nHost: evil"}]},
        {"mcpServers": [{"endpoint": _ADDRESS}] * 6},
        {"mcpEndpoints": {"endpoint": _ADDRESS}},
    ],
)
def test_what_is_no_list_of_servers_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        client_servers_in(wrong, _ALLOWED)


@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1"])
async def test_a_name_that_leads_into_a_network_of_ours_is_refused(address: str) -> None:
    async def resolve(_: str, __: int) -> Sequence[str]:
        return ["93.184.215.14", address]

    with pytest.raises(UnsafeSource):
        await check_reachable(_ADDRESS, private=False, resolve=resolve)
    await check_reachable(_ADDRESS, private=True, resolve=resolve)


async def _run(address: str, allowed: tuple[str, ...], *, private: bool = True) -> Any:
    """Run with a server that a page names; it is one of this process, so nothing is resolved."""
    server, model = LocalServer("client", [READ]), Scripted(lambda _: "Hello.")
    settings = replace(PLAIN, ingest=IngestSettings(private_addresses=private))
    chat = ChatSettings(grounding="off", client_tool_servers=allowed)
    async with opened(model, replace(settings, chat=chat)) as sextant:
        assert sextant.copilot_links
        links = replace(sextant.copilot_links, open_client_server=lambda *_: server)
        own = replace(sextant, copilot_links=links)
        events = await events_of(own.copilot, request(properties=_named(address)))
        known = await own.toolbox.graph_stats(ANN)
    return events[-1], model, server, known


async def test_its_tools_are_offered_for_one_run_and_to_nobody_else() -> None:
    end, model, server, known = await _run("https://127.0.0.1/mcp", ("https://127.0.0.1",))
    assert isinstance(end, RunFinished)
    assert [one.name for one in model.prompts[0].tools] == ["client_read_file"]
    assert server.is_closed
    assert known.tools == 0


@pytest.mark.parametrize(
    ("allowed", "private", "code"),
    [
        ((), True, "forbidden"),
        (("https://mcp.example",), True, "forbidden"),
        (("https://127.0.0.1",), False, "unsafe_source"),
    ],
)
async def test_a_run_that_names_another_server_fails_before_the_model_is_asked(
    allowed: tuple[str, ...], private: bool, code: str
) -> None:
    end, model, server, _ = await _run("https://127.0.0.1/mcp", allowed, private=private)
    assert isinstance(end, RunFailed)
    assert end.code == code
    assert model.prompts == []
    assert not server.is_closed
