"""A process that talks over stdin and stdout ends in time, whatever it is still at.

What never ends is an embedder of another package. Nothing here is timed: a test that hangs failed.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.commands import environment
from tests.serve.mcp.transports.test_stdio import INITIALIZE
from tests.test_entrypoints import install

EMBEDDER = """
import sys, threading
import anyio
from sextant.llms.tiny import Tiny

class Stuck(Tiny):
    def __init__(self, where):
        super().__init__()
        self._where = where

    async def embed(self, texts, purpose):
        print("at work", file=sys.stderr, flush=True)
        if self._where == "thread":
            await anyio.to_thread.run_sync(threading.Event().wait)
        while True:
            pass

def open_embedder(rest, settings):
    return Stuck(rest)
"""
CALL = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "LlmOrchestration.GenerateEmbeddings", "arguments": {"Texts": ["a"]}},
}


@contextmanager
def at_work(folder: Path, where: str) -> Iterator[subprocess.Popen[str]]:
    """Start a process that is at something which never ends."""
    install(folder / "site", "stuck", "[sextant.embedders]", "stuck = stuck:open_embedder")
    (folder / "site" / "stuck.py").write_text(EMBEDDER)
    with subprocess.Popen(
        [sys.executable, "-m", "sextant", "mcp", "--store", "sqlite:s"],
        cwd=folder,
        env=environment(PYTHONPATH=str(folder / "site"), SEXTANT_EMBEDDER=f"stuck:{where}"),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        try:
            assert child.stdin
            assert child.stderr
            initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            for message in (INITIALIZE, initialized, CALL):
                child.stdin.write(json.dumps(message) + "\n")
            child.stdin.flush()
            assert any("at work" in line for line in child.stderr)
            yield child
        finally:
            child.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no polite kill")
def test_what_never_ends_does_not_hold_up_who_closes_stdin_or_wants_an_end(tmp_path: Path) -> None:
    for name in ("closed", "killed"):
        (tmp_path / name).mkdir()
    with (
        at_work(tmp_path / "closed", "thread") as closed,
        at_work(tmp_path / "killed", "loop") as killed,
    ):
        assert closed.stdin
        closed.stdin.close()
        killed.send_signal(signal.SIGTERM)
        for child in (closed, killed):
            assert child.stderr
            assert "what was acknowledged is kept" in child.stderr.read()
            assert child.wait() == 1
