"""The figures as a table: a row for each measure, its peers below, its bar beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

BAR_SIZE = 100_000
"""The size at which the bars hold."""

_SEARCHES = (
    "keyword",
    "keyword, no common words",
    "keyword, three words",
    "keyword, 10 % filter",
    "vector",
    "vector, 10 % filter",
    "vector, 10 % filter, a new one each time",
    "vector, 1 % filter",
    "vector, 50 entities",
    "hybrid",
    "two hops, away from hubs",
    "two hops, any entity",
    "two hops, greatest hub",
    "name, exact",
    "name, fuzzy",
)
_COMPARED = tuple(name for name in _SEARCHES[:8] if not name.endswith("each time"))
_BARE = (
    "keyword",
    "keyword, no common words",
    "keyword, three words",
    "vector",
    "vector, 10 % filter",
    "vector, 10 % filter, a new one each time",
    "two hops, away from hubs",
)
_SEARCH_BARS = {
    "keyword": 1.0,
    "vector": 8.0,
    "vector, 10 % filter": 2.0,
    "vector, 10 % filter, a new one each time": 2.0,
    "two hops, away from hubs": 1.0,
}


@dataclass(frozen=True, slots=True)
class Bar:
    """The most that a figure may be, or the least."""

    limit: float
    at_most: bool = True

    def holds(self, value: float) -> bool:
        """Say whether the figure is within the bar."""
        return value <= self.limit if self.at_most else value >= self.limit

    def __str__(self) -> str:
        return f"{'≤' if self.at_most else '≥'} {self.limit:g}"


@dataclass(frozen=True, slots=True)
class Row:
    """A measure: where its figure lies in the results of one size, and how it is shown."""

    label: str
    path: tuple[str, ...] = ()
    bar: Bar | None = None
    digits: int = 2


def rows(peers: Sequence[str]) -> Iterator[Row]:
    """Yield every row; one without a path is a heading."""
    yield Row("CPU ms a query that was asked before: median of batches (mean)")
    for name in _SEARCHES:
        limit = _SEARCH_BARS.get(name)
        yield Row(name, ("legs", name), Bar(limit) if limit else None)
        yield Row("  a new one", ("legs", name, "new"), Bar(limit) if limit else None)
        yield from (Row(f"  {peer}", ("peers", peer, "legs", name)) for peer in peers)
    yield Row("CPU ms of the leg alone, asked before: ranked ids or edges, no thread, no passages")
    for name in _BARE:
        limit = _SEARCH_BARS.get(name)
        yield Row(name, ("bare", name), Bar(limit) if limit else None)
        yield Row("  a new one", ("bare", name, "new"), Bar(limit) if limit else None)
    yield Row("Share of brute force's best 10 found")
    for name in _COMPARED:
        yield Row(name, ("agreement", name, "recall"), Bar(1.0, at_most=False), 4)
        yield Row("  in the same order", ("agreement", name, "same_order"), None, 4)
        yield Row("  with the same scores", ("agreement", name, "same_scores"), None, 0)
        path = ("agreement", name, "recall")
        yield from (Row(f"  {peer}", ("peers", peer, *path), None, 4) for peer in peers)
    yield Row("Growing (the window that ends at this size)")
    yield Row("ingest, CPU ms a chunk", ("ingest", "ms_per_chunk"))
    yield from (Row(f"  {peer}", ("peers", peer, "ms_per_chunk")) for peer in peers)
    yield Row("ingest, CPU ms a document", ("ingest", "ms_per_document"))
    yield Row("ingest, peak MB without the bench's own", ("ingest", "net_peak_mb"), None, 0)
    yield Row("segments left", ("ingest", "segments"), None, 0)
    yield from _adding()
    yield from _standing(peers)


def _adding() -> Iterator[Row]:
    yield Row("Adding one document of 4 to 6 chunks")
    for step in ("written", "visible"):
        yield Row(f"until {step}, CPU ms: median (mean)", ("add", step))
        yield Row("  mean, times the smallest store's", ("add", step, "ratio"), Bar(1.3))


def _standing(peers: Sequence[str]) -> Iterator[Row]:
    yield Row("Opening, holding, recovering (fresh process)")
    yield Row("open to first answer, CPU s", ("open", "cpu_s"))
    yield Row("  with interpreter and imports, CPU s", ("open", "process_cpu_s"), Bar(2.0))
    yield Row("  with interpreter and imports, wall s", ("open", "process_wall_s"))
    yield Row("resident after 200 queries, MB", ("resident", "VmRSS"), Bar(500.0), 0)
    yield Row("  of it not mapped from files, MB", ("resident", "RssAnon"), None, 0)
    yield Row("truth on disk, MB", ("ingest", "truth_mb"), None, 0)
    yield Row("segments on disk, MB", ("ingest", "segments_mb"), None, 0)
    yield from (Row(f"  {peer}, MB", ("peers", peer, "disk_mb"), None, 0) for peer in peers)
    yield Row("after SIGKILL: the same, worst CPU s", ("recovery", "worst"), Bar(2.0))
    yield Row("  median CPU s", ("recovery", "median"))
    yield Row("  acknowledged documents found", ("recovery", "found"), Bar(1.0, at_most=False))


def show(results: dict[str, Any], peers: Sequence[str]) -> None:
    """Print the table, without rows that have no figure."""
    sizes = list(results)
    table = Table("measure", *(f"{int(size):,}" for size in sizes), "bar at 100,000", box=None)
    for row in rows(peers):
        if not row.path:
            table.add_row()
            table.add_row(f"[bold]{row.label}")
            continue
        figures = [_pick(results[size], row.path) for size in sizes]
        if any(figure is not None for figure in figures):
            shown = [_shown(row, int(size), one) for size, one in zip(sizes, figures, strict=True)]
            table.add_row(row.label, *shown, str(row.bar or ""))
    Console(width=120).print(table)


def _pick(figures: Any, path: Sequence[str]) -> Any:
    for name in path:
        if name not in figures:
            return None
        figures = figures[name]
    return figures


def _shown(row: Row, size: int, figure: Any) -> str:
    if figure is None:
        return ""
    if isinstance(figure, dict):
        text = f"{figure['median']:,.{row.digits}f} ({figure['mean']:,.{row.digits}f})"
        figure = figure["median"]
    else:
        text = f"{figure:,.{row.digits}f}"
    if row.bar is None or size != BAR_SIZE:
        return text
    return f"{text} [green]ok" if row.bar.holds(figure) else f"{text} [red]over"
