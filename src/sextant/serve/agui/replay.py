"""A thread as a client is given it that comes to it anew: what was said, then what is under way."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing

from sextant.chat.run import Run
from sextant.serve.agui.events import EventWriter, framed
from sextant.text.codec.agui_messages import told_messages
from sextant.types import (
    ActionEnded,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    RunEvent,
    RunFinished,
    RunRequest,
    RunStarted,
    TextAdded,
    TextEnded,
    TextStarted,
    ThreadState,
)


async def replayed(
    thread: ThreadState, run: Run | None, request: RunRequest, writer: EventWriter
) -> AsyncGenerator[bytes, None]:
    """Yield what is kept of a thread as if it were one run, then the run that is under way.

    A run is kept just before its end is told, so what is kept of it is not told twice.
    """
    if thread.exists:
        yield _kept(thread, request)
    if run:
        known = {one.id for one in thread.messages}
        async with aclosing(run.events()) as batches:
            async for batch in batches:
                yield writer.write(_unknown(batch, known))


def _kept(thread: ThreadState, request: RunRequest) -> bytes:
    writer, state = EventWriter({}), json.loads(thread.state)
    return b"".join(
        (
            writer.write([RunStarted(thread.thread_id, request.run_id, request.agent)]),
            framed("MESSAGES_SNAPSHOT", messages=told_messages(thread.messages)),
            framed("STATE_SNAPSHOT", snapshot=state) if state else b"",
            writer.write([*thread.interrupts, RunFinished()]),
        )
    )


def _unknown(batch: Sequence[RunEvent], known: Collection[str]) -> list[RunEvent]:
    """Return the events of messages and calls that are not known."""
    return [event for event in batch if _subject(event) not in known]


def _subject(event: RunEvent) -> str:
    if isinstance(event, TextStarted | TextAdded | TextEnded):
        return event.message_id
    if isinstance(event, ActionStarted | ArgumentsAdded | ActionEnded | ActionReturned):
        return event.call_id
    return ""
