"""What an ingest says while it runs and nobody watches a terminal."""

from __future__ import annotations

from sextant.cli.ingesting.progress import progress_lines
from sextant.ingest.report import ByModel, Report


def test_a_line_is_written_every_few_seconds_however_often_there_is_news() -> None:
    moments = iter([0.0, 1.0, 4.9, 5.0, 6.0, 9.9, 10.5])
    lines: list[str] = []
    listen = progress_lines(lines.append, lambda: next(moments))
    for done in range(6):
        listen(Report(found=1_200, read=1_000 + done, done=done, chunks=40 * done))
    assert lines == [
        "… 1,002 of 1,200 files read, 2 done, 80 chunks, 5 s",
        "… 1,005 of 1,200 files read, 5 done, 200 chunks, 10 s",
    ]


def test_how_far_a_model_is_stands_behind() -> None:
    moments = iter([0.0, 60.0])
    lines: list[str] = []
    listen = progress_lines(lines.append, lambda: next(moments))
    own = ByModel("m", wanted=30, known=5, read=6, failed=1)
    listen(Report(found=1, read=1, done=1, chunks=30, by_model=own))
    assert lines == ["… 1 of 1 files read, 1 done, 30 chunks, 60 s; 12 of 30 chunks by the model"]
