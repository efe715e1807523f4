"""A gateway: what a caller sees, what it may call, what is remembered, and what a failure costs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from sextant.build import open_sextant
from sextant.core.gateway import Gateway
from sextant.errors import InvalidInput, NotFound, PeerError, PeerUnreachable, TooLarge
from sextant.settings import Settings, ToolboxSettings
from sextant.toolbox.catalogue.report import ImportReport
from sextant.toolbox.gateway.upstream import Upstream
from sextant.types import Outcome, Scope, ToolLink, ToolRelation, ToolRequest

SCOPE = Scope("acme")
SRE = Scope("acme", frozenset({"sre"}))
ME = "me"
OBJECT = {"type": "object", "properties": {}}


def entry(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": OBJECT}


READ = entry("read_file", "Reads a file from the disk.")
WRITE = entry("write_file", "Writes a file to the disk.")
SEND = entry("send_message", "Sends a message to a channel of the team.")


@dataclass(slots=True)
class LocalServer:
    """Tools in this process, in the form of a server of others."""

    name: str
    entries: list[dict[str, Any]]
    changes: int = 0
    failure: PeerError | None = None
    called: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    is_closed: bool = False

    async def tools(self) -> Sequence[Mapping[str, Any]]:
        if self.failure:
            raise self.failure
        return list(self.entries)

    async def call(
        self, tool: str, arguments: Mapping[str, Any], seconds: float = 0.0
    ) -> Mapping[str, Any]:
        if self.failure:
            raise self.failure
        self.called.append((tool, arguments))
        text = f"{tool} done in {seconds:g}".ljust(int(arguments.get("length", 0)))
        content = [{"type": "text", "text": text}]
        return {"content": content, "isError": "wrong" in arguments}

    async def close(self) -> None:
        self.is_closed = True


@dataclass(frozen=True, slots=True)
class Fronted:
    gateway: Gateway
    files: LocalServer
    chat: LocalServer


@asynccontextmanager
async def fronted(**toolbox: Any) -> AsyncIterator[Fronted]:
    files, chat = LocalServer("files", [READ, WRITE]), LocalServer("chat", [SEND])
    settings = Settings(store="memory:", embedder="tiny:16", toolbox=ToolboxSettings(**toolbox))
    async with await open_sextant(settings) as sextant:
        upstreams = [Upstream(files), Upstream(chat, frozenset({"sre"}))]
        gateway = Gateway(sextant.toolbox, "acme", upstreams)
        await read_servers(gateway)
        yield Fronted(gateway, files, chat)
        await gateway.close()
        assert files.is_closed
        assert chat.is_closed


async def read_servers(gateway: Gateway) -> list[ImportReport]:
    reports: asyncio.Queue[ImportReport] = asyncio.Queue()
    gateway.begin_reading(reports.put_nowait)
    return [await reports.get() for _ in gateway.upstreams]


async def found(gateway: Gateway, scope: Scope, text: str) -> list[str]:
    selection = await gateway.search(scope, ME, ToolRequest(text))
    return [one.tool.id for one in selection.ranked]


async def test_a_search_finds_tools_of_all_servers() -> None:
    async with fronted() as one:
        assert (await found(one.gateway, SRE, "read a file from the disk"))[0] == "files.read_file"
        assert (await found(one.gateway, SRE, "send a message"))[0] == "chat.send_message"


async def test_a_call_goes_to_its_server_under_the_name_that_it_has_there() -> None:
    async with fronted() as one:
        result = await one.gateway.call(SRE, ME, "files.read_file", {"path": "a"})
        assert result["content"][0]["text"].startswith("read_file done")
        assert one.files.called == [("read_file", {"path": "a"})]
        assert one.chat.called == []


async def test_what_a_persona_may_not_see_is_neither_found_nor_called() -> None:
    async with fronted() as one:
        assert "chat.send_message" not in await found(one.gateway, SCOPE, "send a message")
        with pytest.raises(NotFound, match="There is no tool 'chat\\.send_message' here") as hidden:
            await one.gateway.call(SCOPE, ME, "chat.send_message", {})
        with pytest.raises(NotFound) as unknown:
            await one.gateway.call(SCOPE, ME, "chat.send_massage", {})
        assert "chat" not in hidden.value.hint + unknown.value.hint
        assert one.chat.called == []


async def test_another_tenant_sees_nothing() -> None:
    async with fronted() as one:
        other = Scope("other", frozenset({"sre"}))
        assert await found(one.gateway, other, "send a message") == []
        with pytest.raises(NotFound):
            await one.gateway.call(other, ME, "files.read_file", {})


async def test_tools_of_the_catalogue_that_no_server_has_are_not_found() -> None:
    async with fronted() as one:
        gateway = Gateway(one.gateway.toolbox, "acme", one.gateway.upstreams[1:])
        assert await found(gateway, SRE, "read a file from the disk") in ([], ["chat.send_message"])


async def test_the_calls_for_a_request_are_one_session() -> None:
    async with fronted() as one:
        await found(one.gateway, SRE, "write the file and tell the team")
        for name in ("files.write_file", "chat.send_message"):
            await one.gateway.call(SRE, ME, name, {})
        await one.gateway.call(SRE, "somebody else", "files.read_file", {})
        await found(one.gateway, SRE, "read it again")
        await one.gateway.call(SRE, ME, "files.read_file", {})
        uses = await one.gateway.toolbox.graph.read_uses(SRE)
    told = {use.request: [call.tool_id for call in use.calls] for use in uses}
    assert told == {
        "write the file and tell the team": ["files.write_file", "chat.send_message"],
        "": ["files.read_file"],
        "read it again": ["files.read_file"],
    }


async def test_a_call_that_failed_teaches_nothing_but_that_it_was_tried() -> None:
    async with fronted() as one:
        await found(one.gateway, SRE, "write the file")
        result = await one.gateway.call(SRE, ME, "files.write_file", {"wrong": 1})
        assert result["isError"]
        await one.gateway.call(SRE, ME, "files.write_file", {})
        uses = await one.gateway.toolbox.graph.read_uses(SRE)
    assert sorted(use.outcome for use in uses) == [Outcome.DONE, Outcome.FAILED]


async def test_when_the_search_fails_all_that_the_caller_may_see_is_shown() -> None:
    async with fronted() as one:
        await one.gateway.toolbox.embedder.close()
        everything = await one.gateway.search(SCOPE, ME, ToolRequest("read"))
        assert {own.tool.id for own in everything.tools} == {"files.read_file", "files.write_file"}
        assert everything.warnings == ("The search failed: these are all tools that you may call.",)
        assert "chat.send_message" in await found(one.gateway, SRE, "read")


async def test_a_request_that_is_wrong_is_no_failure_of_the_search() -> None:
    async with fronted() as one:
        with pytest.raises(InvalidInput):
            await one.gateway.search(SCOPE, ME, ToolRequest(""))


async def test_a_list_that_changed_is_read_before_the_next_search() -> None:
    async with fronted() as one:
        one.files.entries = [entry("print_file", "Prints a file on paper.")]
        assert (await found(one.gateway, SCOPE, "print a file on paper"))[0] != "files.print_file"
        one.files.changes += 1
        assert await found(one.gateway, SCOPE, "print a file on paper") == ["files.print_file"]
        with pytest.raises(NotFound):
            await one.gateway.call(SCOPE, ME, "files.read_file", {})


async def test_a_server_that_is_down_is_left_out_and_others_stand_in() -> None:
    async with fronted() as one:
        stands_in = ToolRelation("chat.send_message", "files.write_file", ToolLink.ALTERNATIVE_TO)
        await one.gateway.toolbox.relate(SRE, replace(stands_in, confidence=0.8))
        one.chat.failure = PeerUnreachable("chat did not answer.", "Check that it runs.")
        with pytest.raises(PeerUnreachable) as caught:
            await one.gateway.call(SRE, ME, "chat.send_message", {})
        assert caught.value.hint == "Try files.write_file instead."
        reports = await read_servers(one.gateway)
        failed = [report.source for report in reports if report.error]
        assert failed == ["chat"]
        assert await found(one.gateway, SRE, "send a message to the team") != []
        assert "chat.send_message" not in await one.gateway.offers(SRE)
        with pytest.raises(PeerUnreachable, match="chat cannot be asked now: chat did not answer"):
            await one.gateway.call(SRE, ME, "chat.send_message", {})
        with pytest.raises(NotFound):
            await one.gateway.call(SCOPE, ME, "chat.send_message", {})


async def test_a_server_that_is_back_is_offered_again() -> None:
    async with fronted(refresh_seconds=1.0) as one:
        one.files.failure = PeerUnreachable("files did not answer.", "Check that it runs.")
        await read_servers(one.gateway)
        assert await one.gateway.offers(SCOPE) == {}
        one.files.failure = None
        await read_servers(one.gateway)
        assert "files.read_file" in await one.gateway.offers(SCOPE)


async def test_a_result_that_is_too_large_is_not_passed_on() -> None:
    async with fronted(result_megabytes=0.01) as one:
        await one.gateway.call(SRE, ME, "files.read_file", {"length": 5_000})
        with pytest.raises(TooLarge, match="did its work, but the result has"):
            await one.gateway.call(SRE, ME, "files.read_file", {"length": 20_000})
