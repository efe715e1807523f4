"""MCP Inspector of npm, as a person uses it on a command line: one call, one answer as JSON."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.commands import environment
from tests.peers.fixtures import MODULES

_PACKAGE = MODULES / "@modelcontextprotocol" / "inspector"
INSPECTOR = _PACKAGE / "clients" / "launcher" / "build" / "index.js"
_PATIENCE_S = 60
_AS_A_PROGRAM = (
    *("--format", "json", "--quiet", "--stored-auth-only"),
    *("--connect-timeout", str(_PATIENCE_S * 1_000)),
)


@dataclass(frozen=True, slots=True)
class Inspector:
    """How a server is reached; what Inspector keeps stays in a home of its own."""

    node: str
    home: Path
    way: tuple[str, ...]
    target: tuple[str, ...]

    def ask(self, method: str, *options: str) -> Any:
        """Send one request that goes well, and return its result."""
        ended = self._run(method, *options)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool that does what it is asked, and return its structured content."""
        given = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        result = self.ask("tools/call", *given)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refusal(self, method: str, *options: str) -> Any:
        """Send one request that is refused, and return how Inspector tells that."""
        ended = self._run(method, *options)
        assert ended.returncode != 0, ended.stdout
        return json.loads(ended.stderr)["error"]

    def _run(self, method: str, *options: str) -> subprocess.CompletedProcess[str]:
        asked = ("--method", method, *options, *_AS_A_PROGRAM)
        return subprocess.run(
            [self.node, str(INSPECTOR), "--cli", *asked, *self.way, *self.target],
            cwd=self.home,
            env=environment(HOME=str(self.home)),
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE_S,
        )
