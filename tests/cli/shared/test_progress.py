"""What long work says while nobody watches a terminal."""

from __future__ import annotations

from sextant.cli.shared.progress import work_lines


def test_a_line_is_written_every_few_seconds_however_often_there_is_news() -> None:
    moments = iter([0.0, 1.0, 5.0, 6.0, 10.5])
    lines: list[str] = []
    listen = work_lines(lines.append, lambda: next(moments))
    for done in range(4):
        listen("vectors", 1_000 * done, 26_309)
    assert lines == ["… vectors: 1,000 of 26,309, 5 s", "… vectors: 3,000 of 26,309, 10 s"]
