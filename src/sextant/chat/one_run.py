"""One run from its first step to its end: the work, what is kept of it, and what is counted."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from sextant.chat.actions.interrupts import Paused, Pending
from sextant.chat.context import RunContext, Work
from sextant.chat.events import EventLog
from sextant.chat.run import ended, failure_of
from sextant.chat.telemetry import HearRun, facts_of, report_of, tell_run
from sextant.chat.threads.history import messages_in
from sextant.chat.threads.keeping import Threads
from sextant.errors import SextantError
from sextant.spans import span
from sextant.types import FailureReason, Interrupted, RunEnd, RunFailed, RunFinished, RunKind

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OneRun:
    """A run: its thread, its context, who lets it go on, and whoever does the work."""

    threads: Threads
    context: RunContext
    admit: Work
    work: Work

    async def carry_out(
        self, waiting: Sequence[Pending], listeners: Sequence[HearRun], log: EventLog
    ) -> RunEnd:
        """Do the work, keep what came of it, and return how it ended; some of it may wait on."""
        context, began = self.context, monotonic()
        context.log = log
        for one in waiting:
            context.pending.append(one)
            context.emit(Interrupted(one.id, one.value, one.call_id))
        with span("sextant.run", facts_of(context.request, context.agent)) as own:
            end = await ended(self._work())
            context.release()
            if self._is_kept and not _is_denied(end):
                end = await _to_the_end(self._kept(end))
            tell_run(report_of(context, end, began), own, listeners)
        return end

    @property
    def _is_kept(self) -> bool:
        """Whether it is a chat with an agent, or waits for a person.

        The history of a chat with a model alone is its client's, which sends it with every run.
        """
        context = self.context
        return context.request.kind == RunKind.CHAT and bool(context.agent or context.pending)

    async def _work(self) -> RunEnd:
        with suppress(Paused):
            await self.admit(self.context)
            await self.work(self.context)
        return RunFinished(self.context.usage)

    async def _kept(self, end: RunEnd) -> RunEnd:
        """Keep how the thread stands; a run that waits for a person fails if it cannot be."""
        try:
            await self._keep()
        except SextantError as error:
            _log.warning("What came of a run was not kept: %s", error)
            return failure_of(error) if self.context.pending else end
        return end

    async def _keep(self) -> None:
        context = self.context
        made = messages_in(context.log.events, context.run_id, datetime.now(UTC))
        known = {one.id for one in made}
        before = [one for one in context.messages if one.id not in known]
        state = json.dumps(context.state, ensure_ascii=False)
        states: Mapping[str, str] = {context.agent: state} if context.agent else {}
        await self.threads.keep(
            context.scope, context.thread_id, [*before, *made], states, context.pending
        )


def _is_denied(end: RunEnd) -> bool:
    """Whether a guardrail denied it: what was not answered is no part of the thread."""
    return isinstance(end, RunFailed) and end.reason is FailureReason.GUARDRAIL


async def _to_the_end(keeping: Coroutine[Any, Any, RunEnd]) -> RunEnd:
    """Return what becomes of work that is done even where its run is cancelled meanwhile."""
    task = asyncio.ensure_future(keeping)
    while True:
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
