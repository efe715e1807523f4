"""`sextant mcp` as a process: nothing but messages on stdout, and a clean end."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from sextant.build import open_sextant
from sextant.types import Chunk, Document, Put, Scope
from tests.cli.commands import environment
from tests.serve.mcp.doors import (
    HANDSHAKE,
    OWNER,
    call,
    over_stdio,
    refusal,
    server,
    stored,
    take_in,
)
from tests.serve.running import small

PATIENCE_S = 60.0
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    asyncio.run(take_in(folder))
    with subprocess.Popen(
        [sys.executable, "-m", "sextant", "mcp", *arguments],
        cwd=folder,
        env=environment(**stored(folder)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        watchdog = threading.Timer(PATIENCE_S, child.kill)
        watchdog.start()
        try:
            yield child
        finally:
            watchdog.cancel()
            child.kill()


def say(child: subprocess.Popen[str], message: Any) -> None:
    assert child.stdin
    child.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    child.stdin.flush()


def hear(child: subprocess.Popen[str]) -> Any:
    assert child.stdout
    return json.loads(child.stdout.readline())


def test_stdout_holds_messages_alone_and_the_end_of_stdin_is_the_end(tmp_path: Path) -> None:
    with started(tmp_path) as child:
        say(child, "this is no message")
        say(child, INITIALIZE)
        assert hear(child)["result"]["protocolVersion"] == "2025-06-18"
        say(child, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        call = {"name": "graphrag_query", "arguments": {"query": "Who is there?"}}
        say(child, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
        assert hear(child)["id"] == 2
        say(child, {"jsonrpc": "2.0", "id": 3, "method": "no/such/method"})
        assert hear(child)["error"]["code"] == -32601
        rest, errors = child.communicate(timeout=PATIENCE_S)
        assert (rest, child.returncode) == ("", 0), errors
        assert "Traceback" not in errors


@pytest.mark.parametrize("arguments", [(), ("--url", "http://127.0.0.1:9/mcp")])
def test_whoever_wants_it_to_stop_need_not_wait_for_stdin(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    with started(tmp_path, *arguments) as child:
        say(child, INITIALIZE)
        told = hear(child)
        assert ("error" if arguments else "result") in told
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE_S) == 0
        assert child.stderr
        assert "Traceback" not in child.stderr.read()


def test_who_is_started_to_read_only_lists_and_does_nothing_else(tmp_path: Path) -> None:
    async def run() -> None:
        await take_in(tmp_path)
        async with over_stdio(tmp_path, "--read-only", **stored(tmp_path)) as client:
            tools = (await client.list_tools()).tools
            assert "graphrag_query" in {tool.name for tool in tools}
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
            entry = "docs/queue.md#c0"
            told = await refusal(client, "KnowledgeStore.DeleteEntry", EntryId=entry)
            assert told["code"] == "forbidden"
            assert "leaving out --read-only" in told["hint"]
            assert (await call(client, "KnowledgeStore.GetEntry", EntryId=entry))["Content"]
            assert (await client.list_resources()).resources
            asked = await call(client, "graphrag_query", query=OWNER, conversationId="c1")
            assert "Team Y" in asked["answer"]
            assert asked["conversationId"] == ""
        async with await open_sextant(small(tmp_path)) as sextant:
            assert not await sextant.conversation(Scope(), "c1")

    asyncio.run(run())


@pytest.mark.parametrize("persona", [(), ("--persona", "eng"), ("-p", "eng", "-p", "law")])
def test_whatever_a_model_names_it_stays_with_the_tenant_and_persona_of_its_start(
    tmp_path: Path, persona: tuple[str, ...]
) -> None:
    secret = Document("secret.md", title="Secret", personas=frozenset({"hr"}))
    chunk = Chunk("secret.md#c0", "The secret formula of the rival is 4711.", 0, 40)

    async def run() -> None:
        async with await open_sextant(small(tmp_path)) as sextant:
            await sextant.store.truth.write(
                Scope("rival"), [Put(replace(secret, personas=frozenset()), (chunk,))]
            )
            await sextant.store.truth.write(Scope("acme"), [Put(secret, (chunk,))])
        started = ("--tenant", "acme", *persona)
        async with over_stdio(tmp_path, *started, **stored(tmp_path)) as client:
            for named in ({"tenantId": "rival"}, {"personaId": "hr"}):
                told = await refusal(
                    client, "graphrag_query", query="What is the formula?", **named
                )
                assert told["code"] == "forbidden"
            gone = {"EntryId": "secret.md#c0"}
            told = await refusal(client, "KnowledgeStore.DeleteEntry", TenantId="rival", **gone)
            assert told["code"] == "forbidden"
            told = await refusal(client, "KnowledgeStore.GetEntry", **gone)
            assert told["code"] == "not_found"
            asked = await call(client, "graphrag_query", query="What is the secret formula?")
            assert "4711" not in json.dumps(asked)

    asyncio.run(run())


def test_a_bridge_that_is_not_let_in_says_which_variable_lets_it(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(tmp_path) as one:
            url = ("--url", f"{one.url}/mcp")
            for token, why in (("", "This needs a token."), ("wrong", "The token is not valid.")):
                with pytest.raises(ExceptionGroup) as refused:
                    async with over_stdio(tmp_path, *url, mode=HANDSHAKE, SEXTANT_TOKEN=token):
                        pass
                assert refused.group_contains(MCPError, match=f"{why} Set SEXTANT_TOKEN")

    asyncio.run(run())
