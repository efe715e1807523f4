"""A folder with a little knowledge that was taken in, and commands that read or stream."""

from __future__ import annotations

import re
from pathlib import Path

import typer.rich_utils  # noqa: F401 - reads FORCE_COLOR once, so before a test of ours sets it
from typer.testing import CliRunner, Result

from sextant.cli import app
from tests.cli.commands import SETTINGS, told
from tests.ingest.folders import Tree, lay_out

OPEN: Tree = {
    "a.md": "# Service A\n\nService A depends on Harbor Queue. It is restarted by hand.\n",
    "queue.md": "# Harbor Queue\n\nHarbor Queue (HQ) is a queue owned by Team Y. "
    "It keeps messages for 72 hours.\n",
}
SECRET: Tree = {"plan.md": "# Harbor Queue plan\n\nHarbor Queue moves to Oslo in May 2027.\n"}
OWNER = "Who owns Harbor Queue?"
OWNED = "Harbor Queue (HQ) is a queue owned by Team Y."
KEPT = "It keeps messages for 72 hours."
MOVE = "Where does Harbor Queue move to?"
DAY = ("--now", "2026-10-31")


def take_in(folder: Path) -> None:
    """Let a folder have settings, and a store that knows the pages beside it."""
    (folder / "sextant.toml").write_text(SETTINGS)
    lay_out(folder / "docs", OPEN)
    lay_out(folder / "secret", SECRET)
    told("ingest", "docs")
    told("ingest", "secret", "--persona", "sre")


def fed(text: str | bytes, *arguments: str) -> Result:
    """Run a command that reads this from stdin."""
    return CliRunner(env={"SEXTANT_STORE": None}).invoke(app, arguments, input=text)


def watched(*arguments: str) -> str:
    """Run a command before somebody's eyes, and return what they read, without its colours."""
    runner = CliRunner(env={"SEXTANT_STORE": None, "FORCE_COLOR": "1", "COLUMNS": "200"})
    ended = runner.invoke(app, arguments)
    assert ended.exit_code == 0, ended.output
    return re.sub(r"\x1b\[[\d;]*m", "", ended.stdout)
