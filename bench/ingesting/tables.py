"""The figures of ingest as tables: what was taken in, where the time went, growth, peers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.clock import Figures
from bench.report import Bar

_RATE = Bar(1_500, at_most=False)
_AGAIN = Bar(20, at_most=False)
_FLAT = Bar(1.3)


def show(results: dict[str, Any]) -> None:
    """Print a table for each part that was measured."""
    console = Console(width=120)
    for table in _tables(results):
        console.print(table)
        console.print()


def _tables(results: dict[str, Any]) -> list[Table]:
    tables = [_taken_in(results)]
    if "set" in results:
        tables.append(_steps(results["set"]))
    if "peers" in results:
        tables.append(_peers(results["set"]["first"], results["peers"]))
    if "growth" in results:
        tables += [_growth(results["growth"]), _one(results["growth"])]
    return tables


def _taken_in(results: dict[str, Any]) -> Table:
    sides = {"sample knowledge": results["sample"], "k8s-docs": results.get("set")}
    measured = {name: side for name, side in sides.items() if side}
    table = Table("ingest", *measured, "bar for k8s-docs", box=None)
    firsts = [side["first"] for side in measured.values()]
    for name in ("documents", "chunks", "entities", "relations"):
        _row(table, name, [one[name] for one in firsts], 0)
    rates = [one["chunks_per_cpu_s"] for one in firsts]
    _row(table, "chunks a CPU second, no vectors", rates, 0, _RATE)
    _row(table, "CPU s", [one["cpu_s"] for one in firsts])
    ratios = [side["first"]["cpu_s"] / side["again"]["cpu_s"] for side in measured.values()]
    _row(table, "again, unchanged: times faster", ratios, 1, _AGAIN)
    _row(table, "peak MB", [one["peak_mb"] for one in firsts], 0)
    _row(table, "  of it before the run (imports)", [one["own_mb"] for one in firsts], 0)
    _row(table, "truth on disk, MB", [one["truth_mb"] for one in firsts], 1)
    _row(table, "segments on disk, MB", [one["segments_mb"] for one in firsts], 1)
    vectors = [side["embedded"] for side in measured.values()]
    _row(table, "with vectors: chunks", [one["chunks"] for one in vectors], 0)
    _row(table, "  chunks a CPU second", [one["chunks_per_cpu_s"] for one in vectors], 1)
    _row(table, "  CPU s", [one["cpu_s"] for one in vectors])
    _row(table, "  to load the model, CPU s", [one["loading_s"] for one in vectors])
    return table


def _row(
    table: Table, label: str, values: Sequence[float], digits: int = 2, bar: Bar | None = None
) -> None:
    """Add a row; a bar holds for the set, which comes second if it is there."""
    shown = [f"{value:,.{digits}f}" for value in values]
    if bar and len(values) > 1:
        shown[1] += " [green]ok" if bar.holds(values[1]) else " [red]not met"
    table.add_row(label, *shown, str(bar or ""))


def _steps(figures: Figures) -> Table:
    steps = figures["stages"]
    table = Table("k8s-docs, step by step", "CPU s", "ms a chunk", "share", box=None)
    chunks, total = figures["first"]["chunks"], sum(steps.values())
    for step, seconds in steps.items():
        table.add_row(
            step, f"{seconds:.2f}", f"{seconds * 1e3 / chunks:.3f}", f"{seconds / total:.0%}"
        )
    table.add_row("together", f"{total:.2f}", f"{total * 1e3 / chunks:.3f}")
    whole = figures["first"]["cpu_s"]
    table.add_row("the run above", f"{whole:.2f}", f"{whole * 1e3 / chunks:.3f}")
    return table


def _peers(own: Figures, peers: Figures) -> Table:
    table = Table(
        "beside it", "documents", "chunks", "chunks a CPU s", "and saved", "peak MB", box=None
    )
    ours = {**own, "saved_chunks_per_cpu_s": own["chunks_per_cpu_s"]}
    for name, one in {"Sextant, no vectors": ours, **peers}.items():
        if "missing" in one:
            table.add_row(name, f"no figures: {one['missing']}")
            continue
        table.add_row(
            name,
            f"{one['documents']:,}",
            f"{one['chunks']:,}",
            f"{one['chunks_per_cpu_s']:,.0f}",
            f"{one['saved_chunks_per_cpu_s']:,.0f}",
            f"{one['peak_mb']:,.0f}",
        )
    return table


def _growth(figures: Figures) -> Table:
    titles = ("documents", "chunks", "ms a chunk", "ms a document", "peak MB", "left MB")
    table = Table("growth: chunks there", *titles, box=None)
    for one in figures["slices"]:
        table.add_row(
            f"{one['held_before']:,}",
            f"{one['documents']:,}",
            f"{one['chunks']:,}",
            f"{one['ms_per_chunk']:.2f}",
            f"{one['ms_per_document']:.1f}",
            f"{one['peak_mb']:,.0f}",
            f"{one['left_mb']:,.0f}",
        )
    labels = {
        "ratio": "150 documents: the last three, times the 2nd to 4th",
        "whole_ratio": "1,500: the last, times the same into an empty store",
    }
    for name, label in labels.items():
        if name in figures:
            verdict = "[green]ok" if _FLAT.holds(figures[name]) else "[red]not met"
            table.add_row(label, "", "", f"{figures[name]:.2f} {verdict}", str(_FLAT))
    return table


def _one(figures: Figures) -> Table:
    last = figures["slices"][-1]
    small = figures["slices"][0]["chunks"]
    large = last["held_before"] + last["chunks"]
    table = Table("one document more, CPU ms", f"{small:,}", f"{large:,}", "ratio", box=None)
    rows = {
        "in a process that lives on: median": "median_ms",
        "  mean": "mean_ms",
        "  the first one": "first_ms",
        "by the command, with its start and the model": "command",
        "peak MB of the process that lives on": "peak_mb",
    }
    for label, name in rows.items():
        few, many = (figures["one"][size][name] for size in ("small", "large"))
        table.add_row(label, f"{few:,.1f}", f"{many:,.1f}", f"{many / few:.2f}")
    return table
