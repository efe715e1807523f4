"""`sextant mcp` as a process: nothing but messages on stdout, and a clean end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import environment
from tests.serve.mcp.doors import stored

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
