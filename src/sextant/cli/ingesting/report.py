"""How the command line sums an ingest up: for a reader, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Any

from rich.markup import escape

from sextant.cli.ingesting.vectors import show_vectors, vectors_as_json
from sextant.cli.shared.console import err, out
from sextant.cli.shared.model_report import model_as_json, show_model
from sextant.errors import Ignored
from sextant.ingest.report import Report, some_of
from sextant.ingest.values import Refusal
from sextant.types import Counts

_SHOWN, _FEW = 10, 3
_COUNTS = ("found", "added", "updated", "unchanged", "removed", "chunks")
_IMAGES = frozenset(
    {".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp", ".ico", ".tif", ".tiff"}
)


def show(report: Report, held: Counts | None = None, *, dry_run: bool = False) -> None:
    """Print what came in and what did not, and what the store holds where that is known."""
    if not report.found and not report.removed and not report.vanished:
        out.print("There is nothing to take in there.")
        return
    out.print(
        f"{'Would take' if dry_run else 'Took'} in {report.written:,} documents "
        f"({report.added:,} new, {report.updated:,} changed), {report.chunks:,} chunks; "
        f"{report.unchanged:,} unchanged, {report.removed:,} removed{_refused_count(report)}.",
        highlight=False,
        soft_wrap=True,
    )
    if held:
        _show_held(held)
    if report.by_model:
        show_model(report.by_model, dry_run=dry_run)
    if report.vectors and not dry_run:
        show_vectors(report.vectors)
    for note, count in sorted(report.remarks.items()):
        times = f" ({count} times)" if count > 1 else ""
        out.print(f"[yellow]note:[/yellow] {escape(note)}{times}", highlight=False, soft_wrap=True)
    _show_unresolved(report)
    _show_skipped(report)
    _show_refused("failed", report.failed, report.refused["failed"])


def report_as_json(report: Report, held: Counts | None = None) -> dict[str, Any]:
    """Return what came in and what did not; ``store`` is what `sextant status` counts."""
    by_model = {"by_model": model_as_json(report.by_model)} if report.by_model else {}
    store = {"store": asdict(held)} if held else {}
    vectors = {"vectors": vectors_as_json(report.vectors)} if report.vectors else {}
    return {
        **{each: getattr(report, each) for each in _COUNTS},
        **store,
        **vectors,
        **by_model,
        "formats": dict(report.formats),
        "notes": dict(report.remarks),
        "vanished": list(report.vanished),
        "skipped": _listed(report.skipped),
        "failed": _listed(report.failed),
        "unresolved": [
            {"kind": one.kind, "id": one.id, "needed_by": list(one.needed_by)}
            for one in report.unresolved
        ],
    }


def _listed(refusals: Sequence[Refusal]) -> list[dict[str, str]]:
    return [
        {"path": one.path, "code": one.error.code, "reason": str(one.error)} for one in refusals
    ]


def _show_held(held: Counts) -> None:
    counts = f"{held.documents:,} documents, {held.chunks:,} chunks"
    named = f"{held.entities:,} entities and {held.relations:,} relations"
    out.print(f"The store holds {counts}, {named}.", highlight=False, soft_wrap=True)


def _refused_count(report: Report) -> str:
    failed = report.refused["failed"]
    return f", {failed:,} refused" if failed else ""


def _show_unresolved(report: Report) -> None:
    for one in report.unresolved[:_SHOWN]:
        line = f"[yellow]not there yet:[/yellow] {escape(str(one))}"
        out.print(line, highlight=False, soft_wrap=True)
    if report.unresolved_count > _SHOWN:
        more = report.unresolved_count - _SHOWN
        out.print(f"… and {more:,} more; --json lists them.", highlight=False)


def _show_skipped(report: Report) -> None:
    """Print each of a few that were skipped, or of many what they are and some of their names."""
    total = report.refused["skipped"]
    if total <= _FEW:
        _show_refused("skipped", report.skipped, total)
        return
    for what, paths in _by_sort(report.skipped).items():
        line = f"[dim]skipped:[/dim] {len(paths):,} {what}: {escape(some_of(paths, len(paths)))}"
        out.print(line, highlight=False, soft_wrap=True)
    if total > len(report.skipped):
        out.print(f"… and {total - len(report.skipped):,} more.", highlight=False)


def _by_sort(refusals: Sequence[Refusal]) -> dict[str, list[str]]:
    sorts: dict[str, list[str]] = {}
    for refusal in refusals:
        if isinstance(refusal.error, Ignored):
            what = "left out by patterns, hidden, or a tool's own"
        elif PurePosixPath(refusal.path).suffix.lower() in _IMAGES:
            what = "images, which are not read"
        else:
            what = "of a format that is not read"
        sorts.setdefault(what, []).append(refusal.path)
    return sorts


def _show_refused(what: str, refusals: Sequence[Refusal], total: int) -> None:
    for refusal in refusals[:_SHOWN]:
        reason = escape(f"{refusal.path}: {refusal.error}")
        err.print(f"[red]{what}:[/red] {reason}", highlight=False, soft_wrap=True)
    if total > _SHOWN:
        err.print(f"… and {total - _SHOWN:,} more; --json lists them.", highlight=False)
