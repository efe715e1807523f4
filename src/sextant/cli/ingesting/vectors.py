"""How the command line tells how many passages have vectors, and which documents got none."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.progress import Progress, TaskID

from sextant.cli.shared.console import err
from sextant.ingest.embedding.progress import Vectors
from sextant.ingest.report import Report

_SHOWN = 10
TASK = "Embedding"


def is_unembedded(report: Report) -> bool:
    """Whether the embedder failed, on some documents or altogether."""
    return report.vectors is not None and bool(report.vectors.failed or report.vectors.stopped)


def findable(vectors: Vectors) -> str:
    """Say what can be found already."""
    return (
        f"Findable now by words and names; {vectors.done:,} of {vectors.chunks:,} passages "
        "have vectors."
    )


def show_vector_progress(bar: Progress, vectors: Vectors) -> None:
    """Show how far the vectors are, on a bar of their own with rate and remaining time."""
    task = next((one for one in bar.tasks if one.description.startswith(TASK)), None)
    known = task.id if task else _add_task(bar, vectors)
    speed = vectors.made / max(bar.tasks[-1].elapsed or 0.0, 0.1)
    rate = "another process embeds" if vectors.is_elsewhere else f"{speed:,.0f}/s"
    bar.update(known, completed=vectors.done, total=vectors.chunks, rate=rate)


def _add_task(bar: Progress, vectors: Vectors) -> TaskID:
    err.print(findable(vectors), highlight=False, soft_wrap=True)
    return bar.add_task(TASK, total=vectors.chunks, completed=vectors.done, rate="")


def vectors_line(vectors: Vectors, seconds: float) -> str:
    """Say how far the vectors are, and how long the rest takes at this rate."""
    told = f"… {vectors.done:,} of {vectors.chunks:,} passages have vectors"
    if vectors.is_elsewhere:
        return f"{told}; another process embeds"
    if not vectors.made or not seconds:
        return told
    rate = vectors.made / seconds
    return f"{told}, {rate:,.0f}/s, {vectors.left / rate:,.0f} s left"


def show_vectors(vectors: Vectors) -> None:
    """Say what is without vectors and why; where all have theirs there is nothing to say."""
    for name, why in list(vectors.failed.items())[:_SHOWN]:
        line = f"[red]no vectors:[/red] {escape(f'{name}: {why}')}"
        err.print(line, highlight=False, soft_wrap=True)
    if len(vectors.failed) > _SHOWN:
        err.print(f"… and {len(vectors.failed) - _SHOWN:,} more.", highlight=False)
    if vectors.stopped:
        err.print(
            "[red]no vectors:[/red]", escape(vectors.stopped), highlight=False, soft_wrap=True
        )
    if vectors.left:
        rest = "The next ingest or a running server makes the rest."
        err.print(f"{findable(vectors)} {rest}", highlight=False, soft_wrap=True)


def vectors_as_json(vectors: Vectors) -> dict[str, Any]:
    """Return how many passages have vectors, and which documents got none."""
    failed = [{"document": name, "reason": why} for name, why in vectors.failed.items()]
    return {
        "passages": vectors.chunks,
        "left": vectors.left,
        "made": vectors.made,
        "failed": failed,
        "stopped": vectors.stopped,
    }
