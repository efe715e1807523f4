"""The real server with a little knowledge, started as a person starts it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.commands import hear, started
from tests.serve.mcp.doors import stored, take_in

_WHERE = r"answers at (http://\S+)\s"
_PATIENCE_S = 300.0


def fill(folder: Path) -> None:
    """Let the store of a folder know some pages."""
    asyncio.run(take_in(folder))


@contextmanager
def served(folder: Path, *options: str, token: str = "") -> Iterator[str]:
    """Run `sextant serve` on what a folder knows, and say where it is."""
    variables = stored(folder) | ({"SEXTANT_TOKEN": token} if token else {})
    command = ("serve", "--port", "0", *options)
    with started(folder, *command, patience_s=_PATIENCE_S, files=None, **variables) as child:
        where = re.search(_WHERE, hear(child.stdout, _WHERE))
        assert where
        yield where[1]
