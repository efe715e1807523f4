"""Usage logs: lines of JSON become uses, which have the same id whenever they are read again."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import typer

from sextant.core.toolbox import Toolbox
from sextant.errors import InvalidInput, SextantError
from sextant.limits import check_tool_uses
from sextant.ports import Progress
from sextant.types import Outcome, Scope, ToolUse, UsedTool

_BATCH = 100
"""Uses that are made durable together: one fsync for all of them."""
_LONGEST = 1_000_000
"""Bytes of a line: a request of 20,000 characters and a hundred tools fit twice over."""
_MOST_BROKEN = 10
_STDIN = "-"


@dataclass(slots=True)
class LogReport:
    """What of a log was taken, and what not."""

    lines: int = 0
    new: int = 0
    again: int = 0
    left_out: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    broken: list[tuple[int, str]] = field(default_factory=list)
    broken_count: int = 0

    def note_broken(self, line: int, why: str) -> None:
        """Note a line that cannot be read; the first few are kept."""
        self.broken_count += 1
        if len(self.broken) < _MOST_BROKEN:
            self.broken.append((line, why))

    def as_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "lines": self.lines,
            "new": self.new,
            "again": self.again,
            "left_out": self.left_out,
            "unknown": dict(self.unknown),
            "broken_count": self.broken_count,
            "broken": [{"line": line, "reason": why} for line, why in self.broken],
        }


async def take_in_log(toolbox: Toolbox, scope: Scope, file: Path, listen: Progress) -> LogReport:
    """Record all uses of a log, a batch at a time; what is wrong with a line is noted."""
    report, seen, waiting = LogReport(), Counter[bytes](), dict[str, ToolUse]()
    with _opened(file) as (source, size):
        done = number = 0
        while raw := source.readline(_LONGEST + 1):
            done += len(raw)
            number += 1
            if not raw.strip():
                continue
            report.lines += 1
            try:
                use = _use_of(raw, seen, toolbox)
            except SextantError as error:
                report.note_broken(number, error.message)
                continue
            report.again += use.id in waiting
            waiting.setdefault(use.id, use)
            if len(waiting) >= _BATCH:
                await _record(toolbox, scope, waiting, report)
                listen("lines", done, size or done)
        await _record(toolbox, scope, waiting, report)
    return report


async def _record(
    toolbox: Toolbox, scope: Scope, waiting: dict[str, ToolUse], report: LogReport
) -> None:
    if not waiting:
        return
    uses = list(waiting.values())
    waiting.clear()
    recorded = await toolbox.record_known_uses(scope, uses)
    report.new += recorded.new
    report.again += recorded.again
    report.left_out += recorded.left_out
    unknown = set(recorded.unknown)
    for use in uses:
        report.unknown.update(unknown.intersection(call.tool_id for call in use.calls))


def _use_of(raw: bytes, seen: Counter[bytes], toolbox: Toolbox) -> ToolUse:
    """Return the use of a line; one without an id is named by what it says, and how often."""
    if len(raw) > _LONGEST:
        raise InvalidInput(f"It has more than {_LONGEST:,} bytes.", "Shorten it.")
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError):
        raise InvalidInput("It is not JSON.", "Write one object on each line.") from None
    if not isinstance(given, dict):
        raise InvalidInput("It is no object.", 'Write {"request": …, "tools": […]}.')
    key = hashlib.blake2b(raw.strip(), digest_size=16).digest()
    seen[key] += 1
    name = str(given.get("id") or f"{key.hex()}-{seen[key]}")
    use = ToolUse(
        name,
        _calls(given),
        _text(given, "request"),
        _text(given, "user"),
        _moment(given["at"]) if given.get("at") is not None else None,
        _outcome(given),
    )
    check_tool_uses([use], toolbox.settings.limits)
    return use


def _calls(given: dict[str, Any]) -> tuple[UsedTool, ...]:
    tools, times = given.get("tools"), given.get("times") or []
    if not isinstance(tools, list) or not tools or not all(isinstance(one, str) for one in tools):
        raise InvalidInput("Its tools are no list of ids.", 'Write "tools": ["a", "b"].')
    if not isinstance(times, list) or len(times) not in (0, len(tools)):
        raise InvalidInput("It has not one time for each tool.", "Leave times out, or give all.")
    moments = [_moment(one) for one in times] or [None] * len(tools)
    return tuple(map(UsedTool, tools, moments))


def _moment(value: object) -> datetime | None:
    """Return a time: an ISO text, seconds since 1970, or none."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        value = False
    if value is None:
        return None
    raise InvalidInput("A time of it cannot be read.", "Write it like 2026-10-31T12:00:00Z.")


def _outcome(given: dict[str, Any]) -> Outcome:
    try:
        return Outcome(given.get("outcome") or Outcome.DONE)
    except ValueError:
        known = " or ".join(Outcome)
        raise InvalidInput(f"Its outcome is not {known}.", f"Write {known}.") from None


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"Its {name} is no text.", "Correct it there.")
    return value or ""


@contextmanager
def _opened(file: Path) -> Iterator[tuple[BinaryIO, int]]:
    """Open a log, and say how many bytes it has, if that is known."""
    if str(file) == _STDIN:
        yield typer.get_binary_stream("stdin"), 0
        return
    try:
        with file.open("rb") as source:
            yield source, file.stat().st_size
    except OSError as error:
        raise InvalidInput(
            f"{file.name} cannot be read: {error.strerror}.", "Name a file that is there."
        ) from None
