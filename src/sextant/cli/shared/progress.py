"""How far long work is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sextant.cli.shared.console import err

if TYPE_CHECKING:
    from rich.progress import TaskID

    from sextant.ports import Progress as Listener

EVERY_S = 5.0
"""Often enough to see that it works, seldom enough for the log of a build."""


@contextmanager
def progress() -> Iterator[Listener]:
    """Show on stderr how far work is, while it runs."""
    with _bar() if err.is_terminal else _lines() as listener:
        yield listener


@contextmanager
def _bar() -> Iterator[Listener]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def listen(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what)
            bar.update(tasks[what], completed=done, total=total)

        yield listen


@contextmanager
def _lines() -> Iterator[Listener]:
    yield work_lines(write_line, time.monotonic)


def write_line(line: str) -> None:
    """Write a line on how far work is to stderr."""
    err.print(line, style="dim", highlight=False, soft_wrap=True)


def work_lines(write: Callable[[str], None], clock: Callable[[], float]) -> Listener:
    """Return a listener that writes a line every few seconds."""
    began = last = clock()

    def listen(what: str, done: int, total: int) -> None:
        nonlocal last
        now = clock()
        if now - last >= EVERY_S:
            last = now
            write(f"… {what}: {done:,} of {total:,}, {now - began:,.0f} s")

    return listen
