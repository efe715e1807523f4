"""How the command line tells what a model read while knowledge was taken in, and what it cost."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.progress import Progress

from sextant.cli.shared.console import err, out
from sextant.ingest.report import ByModel, Report
from sextant.types import Usage


def is_unread(report: Report) -> bool:
    """Whether the model has not read all that it should."""
    own = report.by_model
    return own is not None and bool(own.failed or own.stopped)


def show_model_progress(bar: Progress, own: ByModel) -> None:
    """Show how far the model is, on a line of its own."""
    done = own.known + own.read + own.failed
    cost = "" if own.cost is None else f"{own.cost:,.4g} spent"
    if len(bar.tasks) == 1:
        bar.add_task(f"Reading with {own.model}", total=own.wanted, rate="")
    bar.update(bar.tasks[1].id, completed=done, total=own.wanted, rate=cost)


def show_model(own: ByModel, *, dry_run: bool = False) -> None:
    """Print what the model read, or would read."""
    if not own.wanted:
        return
    if dry_run:
        out.print(
            f"{escape(own.model)} would read {own.wanted - own.known:,} chunks "
            f"({own.known:,} are known): {_spent('about ', own.estimated, own.estimated_cost)}.",
            highlight=False,
            soft_wrap=True,
        )
        return
    out.print(
        f"{escape(own.model)} read {own.read:,} chunks ({own.known:,} were known, "
        f"{own.failed:,} failed), {own.names:,} names and {own.relations:,} relations; "
        f"{_spent('', own.usage, own.cost)}.",
        highlight=False,
        soft_wrap=True,
    )
    if own.dropped:
        listed = ", ".join(f"{count:,} {reason}" for reason, count in sorted(own.dropped.items()))
        out.print(f"[dim]dropped:[/dim] {listed}", highlight=False, soft_wrap=True)
    if own.stopped or own.failed:
        _show_unread(own)


def _show_unread(own: ByModel) -> None:
    left = own.failed + (own.left if own.stopped else 0)
    reason = own.stopped or own.failure
    err.print(
        f"[yellow]unread:[/yellow] {left:,} chunks are as the patterns read them: "
        f"{escape(reason)} Run it again to read them.",
        highlight=False,
        soft_wrap=True,
    )


def _spent(about: str, usage: Usage, cost: float | None) -> str:
    tokens = f"{about}{usage.read:,} tokens in, {usage.written:,} out"
    return tokens if cost is None else f"{tokens}, {about}{cost:,.4g}"


def model_as_json(own: ByModel) -> dict[str, Any]:
    """Return the same for programs."""
    return {
        "model": own.model,
        "wanted": own.wanted,
        "known": own.known,
        "read": own.read,
        "failed": own.failed,
        "left": own.left,
        "names": own.names,
        "relations": own.relations,
        "dropped": dict(own.dropped),
        "estimate": _counted(own.estimated, own.estimated_cost),
        "spent": _counted(own.usage, own.cost),
        "failure": own.failure,
        "stopped": own.stopped,
    }


def _counted(usage: Usage, cost: float | None) -> dict[str, Any]:
    return {"tokens_in": usage.read, "tokens_out": usage.written, "cost": cost}
