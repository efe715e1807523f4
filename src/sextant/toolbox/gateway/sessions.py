"""Which calls belong together: those of one caller since it last said what it wants."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import uuid4

from sextant.limits import DEFAULT
from sextant.types import Outcome, Scope, ToolUse, UsedTool

_IDLE = timedelta(minutes=30)
"""Who calls nothing for so long begins anew, as web analytics has it."""
_MOST_SESSIONS = 10_000


class UseRecorder(Protocol):
    """Who remembers uses."""

    async def record_uses(self, scope: Scope, uses: Sequence[ToolUse]) -> int:
        """Record sessions; return how many are new."""

    async def forget_uses(self, scope: Scope, ids: Sequence[str]) -> int:
        """Take sessions back."""


@dataclass(slots=True)
class _Session:
    request: str = ""
    id: str = field(default_factory=lambda: uuid4().hex)
    calls: tuple[UsedTool, ...] = ()
    recording: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def recorded_as(self) -> str:
        """The id under which the calls so far are recorded."""
        return f"gateway-{self.id}-{len(self.calls)}"

    def is_over(self, now: datetime) -> bool:
        """Whether the next call is of another session."""
        last = self.calls[-1].at if self.calls else None
        return len(self.calls) >= DEFAULT.calls or bool(last and now - last > _IDLE)


class Sessions:
    """The sessions under way; each call is recorded at once, so that no ending loses one.

    A session that grows is recorded anew and its shorter form is forgotten.
    """

    def __init__(self, recorder: UseRecorder) -> None:
        self._recorder = recorder
        self._sessions: OrderedDict[Hashable, _Session] = OrderedDict()

    def begin(self, caller: Hashable, request: str) -> None:
        """Let the next calls of a caller be for a request."""
        known = self._sessions.get(caller)
        if known is None or known.calls or known.request != request:
            self._keep(caller, _Session(request[: DEFAULT.query]))

    async def note_call(
        self, scope: Scope, caller: Hashable, tool_id: str, *, failed: bool
    ) -> None:
        """Record that a caller called a tool; of what failed, nothing but that it was tried."""
        call = UsedTool(tool_id, datetime.now(UTC))
        session = self._current(caller, datetime.now(UTC))
        if failed:
            await self._record(scope, f"gateway-{uuid4().hex}", session.request, (call,), failed)
            return
        async with session.recording:
            before = session.recorded_as if session.calls else ""
            session.calls = (*session.calls, call)
            await self._record(scope, session.recorded_as, session.request, session.calls)
            if before:
                await self._recorder.forget_uses(scope, [before])

    async def _record(
        self,
        scope: Scope,
        name: str,
        request: str,
        calls: tuple[UsedTool, ...],
        failed: bool = False,
    ) -> None:
        outcome = Outcome.FAILED if failed else Outcome.DONE
        use = ToolUse(name, calls, request, scope.user or "", calls[0].at, outcome)
        await self._recorder.record_uses(scope, [use])

    def _current(self, caller: Hashable, now: datetime) -> _Session:
        known = self._sessions.get(caller)
        if known is None or known.is_over(now):
            known = _Session(known.request if known and len(known.calls) >= DEFAULT.calls else "")
        self._keep(caller, known)
        return known

    def _keep(self, caller: Hashable, session: _Session) -> None:
        self._sessions[caller] = session
        self._sessions.move_to_end(caller)
        while len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
