"""README.md as something to run: its commands in order, and what it says that they print.

A ``sh`` block holds commands, which run one after another in one shell at the root of the
checkout. A ``text`` block directly behind one shows what the last command of that block prints:
``…`` at the end of a line stands for the rest of the line, and alone for any number of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_BLOCK = re.compile(r"^```(?P<kind>\w*)\n(?P<body>.*?)^```$\n?", re.MULTILINE | re.DOTALL)
_CONTINUED = re.compile(r"\\\n\s*")
REST = "…"


@dataclass(frozen=True, slots=True)
class Command:
    """A command, and the lines that it is said to print, if it is said."""

    line: str
    prints: tuple[str, ...] = ()


def commands_in(text: str) -> Iterator[Command]:
    """Yield the commands of a page, in order."""
    blocks = list(_BLOCK.finditer(text))
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        if block["kind"] != "sh":
            continue
        *before, last = _lines(block["body"])
        yield from map(Command, before)
        is_sample = after and after["kind"] == "text" and after.start() == block.end()
        yield Command(last, tuple(after["body"].splitlines()) if after and is_sample else ())


def _lines(body: str) -> list[str]:
    """Return the commands of a block; one that goes on behind a backslash is one."""
    lines = map(str.strip, _CONTINUED.sub(" ", body).splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def is_printed(said: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether what was printed is what the page says, from the first line to the last."""
    if not said:
        return not printed
    first, rest = said[0], said[1:]
    if first == REST:
        return any(is_printed(rest, printed[at:]) for at in range(len(printed) + 1))
    return bool(printed) and _is_line(first, printed[0]) and is_printed(rest, printed[1:])


def _is_line(said: str, printed: str) -> bool:
    beginning, rest, _ = said.rstrip().partition(REST) if said.endswith(REST) else (said, "", "")
    return printed.startswith(beginning) if rest else printed.rstrip() == said.rstrip()
