"""A run over HTTP: started for a client, written in parts or whole, and ended when it leaves."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Protocol

from sextant.chat.run import Run
from sextant.serve.errors import hidden
from sextant.serve.graphql.incremental.writer import Writer
from sextant.types import (
    AgentCard,
    RunFailed,
    RunRequest,
    Scope,
    ThreadState,
)

_log = logging.getLogger(__name__)


class Copilot(Protocol):
    """What is asked of the core."""

    async def agents(self, scope: Scope) -> Sequence[AgentCard]:
        """Return who can answer."""

    async def start(self, scope: Scope, request: RunRequest) -> Run:
        """Begin a run; what is wrong beforehand is raised."""

    async def load_state(self, scope: Scope, thread_id: str, agent: str) -> ThreadState:
        """Return what is kept of a thread."""


async def write_run(run: Run, writer: Writer) -> AsyncGenerator[list[bytes], None]:
    """Yield payloads as events come; whoever closes it before the end ends the run, too."""
    try:
        async with aclosing(run.events()) as batches:
            async for batch in batches:
                if made := writer.payloads(batch):
                    yield made
    except Exception:
        _log.exception("The run %s broke off.", run.run_id)
    if not writer.is_ended:
        told = hidden()
        yield writer.payloads([RunFailed(told.code, told.sentence, told.hint)])
