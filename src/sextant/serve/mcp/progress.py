"""Progress as the line tells it: each step that begins is a notification, if the client asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.context import ServerRequestContext

from sextant.retrieval.events import Emit, Event, StepBegan, ignore

_WORDS = {
    "resolve": "Reading the question",
    "route": "Deciding whether knowledge is needed",
    "plan": "Planning what to look for",
    "embed": "Turning the question into a vector",
    "link": "Finding the names in the question",
    "expand": "Following relations",
    "retrieve": "Finding passages",
    "rank": "Ranking passages",
    "rephrase": "Looking in other words",
    "rerank": "Choosing passages",
    "judge": "Judging whether that is enough",
    "answer": "Writing the answer",
    "cite": "Citing its sources",
    "remember": "Remembering the conversation",
}


@asynccontextmanager
async def telling(ctx: ServerRequestContext[Any, Any]) -> AsyncIterator[Emit]:
    """Yield a listener whose steps the client hears before it gets the result."""
    if not ctx.meta or ctx.meta.get("progress_token") is None:
        yield ignore
        return
    steps: asyncio.Queue[StepBegan | None] = asyncio.Queue()

    def emit(event: Event) -> None:
        if isinstance(event, StepBegan):
            steps.put_nowait(event)

    teller = asyncio.create_task(_tell(ctx, steps))
    try:
        yield emit
        steps.put_nowait(None)
        await teller
    finally:
        teller.cancel()


async def _tell(
    ctx: ServerRequestContext[Any, Any], steps: asyncio.Queue[StepBegan | None]
) -> None:
    done = 0
    while (step := await steps.get()) is not None:
        done += 1
        await ctx.session.report_progress(done, message=_WORDS.get(step.name, step.name))
