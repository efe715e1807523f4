"""How far an ingest is, while it runs: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sextant.cli.ingesting.vectors import findable, show_vector_progress, vectors_line
from sextant.cli.shared.console import err
from sextant.cli.shared.model_report import show_model_progress
from sextant.cli.shared.progress import EVERY_S, write_line
from sextant.ingest.report import Emit, Report


@contextmanager
def shown_progress(heard: list[Report]) -> Iterator[Emit]:
    """Show progress on stderr, and keep the last report that was heard."""
    with _bar() if err.is_terminal else _lines() as show:

        def listen(report: Report) -> None:
            heard[:] = [report]
            show(report)

        yield listen


@contextmanager
def _bar() -> Iterator[Emit]:
    """Show a bar with rate and remaining time."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("Ingesting", total=None, rate="")

        def show(report: Report) -> None:
            own = bar.tasks[0]
            speed = report.chunks / max(own.finished_time or own.elapsed or 0.0, 0.1)
            rate = f"{report.chunks:,} chunks, {speed:,.0f}/s"
            bar.update(task, completed=report.done, total=report.found, rate=rate)
            if report.by_model and report.by_model.wanted:
                show_model_progress(bar, report.by_model)
            if report.vectors and (report.vectors.left or report.vectors.made):
                show_vector_progress(bar, report.vectors)

        yield show


@contextmanager
def _lines() -> Iterator[Emit]:
    yield progress_lines(write_line, time.monotonic)


def progress_lines(write: Callable[[str], None], clock: Callable[[], float]) -> Emit:
    """Return a listener that writes a line every few seconds."""
    began = last = clock()
    embedding: float | None = None

    def show(report: Report) -> None:
        nonlocal last, embedding
        now, vectors = clock(), report.vectors
        if vectors and vectors.left and embedding is None:
            embedding = last = now
            write(findable(vectors))
        elif now - last >= EVERY_S:
            last = now
            if vectors is None or embedding is None:
                write(_line(report, now - began))
            else:
                write(vectors_line(vectors, now - embedding))

    return show


def _line(report: Report, seconds: float) -> str:
    told = (
        f"… {report.read:,} of {report.found:,} files read, {report.done:,} done, "
        f"{report.chunks:,} chunks, {seconds:,.0f} s"
    )
    own = report.by_model
    if own and own.wanted:
        told += f"; {own.known + own.read + own.failed:,} of {own.wanted:,} chunks by the model"
    return told
