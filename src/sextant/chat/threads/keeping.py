"""Threads of copilots in the store: their messages, the states of agents, and what waits.

A thread belongs to one user of one tenant, as its personas; for everybody else it does not exist.
Its messages are those that its client last sent, and what came of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from sextant.ask.conversations.turns import owned_thread_id
from sextant.chat.actions.interrupts import Pending
from sextant.chat.threads.history import as_json, from_json, latest
from sextant.errors import Conflict
from sextant.ports import Store
from sextant.types import ChatMessage, Scope, Thread

MOST_THREADS = 200
"""Kept of one user, whatever the persona: the last ones that were spoken in."""

_PREFIX = "runs/"
_TRIES = 5
_SOMETIMES = "0"
"""One id in sixteen ends so: to look for the oldest each time would cost more than to write."""


@dataclass(frozen=True, slots=True)
class KeptThread:
    """What is kept of a thread; version 0 does not exist. States are JSON, by agent."""

    version: int = 0
    messages: tuple[ChatMessage, ...] = ()
    states: Mapping[str, str] = field(default_factory=dict)
    pending: tuple[Pending, ...] = ()
    open_run: str = ""
    """The id of the run that has begun and not ended."""


Change = Callable[[KeptThread], KeptThread]
"""Returns a thread as it is to be kept, from what is kept of it."""


def stored_id(scope: Scope, thread_id: str) -> str:
    """Return under which id the store keeps a thread of the scope's user."""
    return owned_thread_id(_PREFIX, scope, thread_id)


@dataclass(frozen=True, slots=True)
class Threads:
    """Reads and writes threads. A tenant that has no knowledge is made only where it must be."""

    store: Store
    own_tenant: str

    async def load(self, scope: Scope, thread_id: str) -> KeptThread:
        """Return what is kept of a thread; one that does not exist is empty."""
        own = stored_id(scope, thread_id)
        found = (await self.store.records.threads(scope, [own])).get(own)
        return _read(found) if found else KeptThread()

    async def begin(
        self,
        scope: Scope,
        thread_id: str,
        messages: Sequence[ChatMessage],
        run_id: str,
        loaded: KeptThread | None = None,
    ) -> KeptThread | None:
        """Keep what a run was asked and that it has not ended; return how the thread stands then.

        Nothing is returned where nothing may be kept. What was loaded saves to read it again.
        """
        if not await self._has_room(scope):
            return None

        def with_run(before: KeptThread) -> KeptThread:
            return replace(before, messages=tuple(latest(messages)), open_run=run_id)

        return await self._change(scope, thread_id, with_run, loaded)

    async def keep(
        self,
        scope: Scope,
        thread_id: str,
        messages: Sequence[ChatMessage],
        states: Mapping[str, str],
        pending: Sequence[Pending],
        begun: KeptThread | None = None,
    ) -> None:
        """Keep how a thread stands after a run; whoever comes last is right.

        What was returned as the run began saves to read it again.
        """
        if not (pending or begun) and not await self._has_room(scope):
            return

        def with_end(before: KeptThread) -> KeptThread:
            own = {**before.states, **states}
            return KeptThread(before.version, tuple(latest(messages)), own, tuple(pending))

        await self._change(scope, thread_id, with_end, begun)

    async def save(self, scope: Scope, thread_id: str, kept: KeptThread) -> KeptThread:
        """Save a thread over the version that was loaded, or raise Conflict."""
        state = {
            "messages": as_json(kept.messages),
            "states": dict(kept.states),
            "pending": [asdict(one) for one in kept.pending],
            "open_run": kept.open_run,
        }
        text = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
        own = Thread(stored_id(scope, thread_id), text, kept.version, title=thread_id)
        saved = await self.store.records.save_thread(scope, own)
        return replace(kept, version=saved.version)

    async def _change(
        self, scope: Scope, thread_id: str, change: Change, known: KeptThread | None = None
    ) -> KeptThread:
        """Save a thread that is changed, from what is known of it or else as it is kept."""
        for _ in range(_TRIES):
            before, known = known or await self.load(scope, thread_id), None
            try:
                saved = await self.save(scope, thread_id, change(before))
            except Conflict:
                continue
            if not before.version and stored_id(scope, thread_id).endswith(_SOMETIMES):
                await self._forget_oldest(scope)
            return saved
        raise Conflict("Others keep speaking in this thread.", "Try again.")

    async def _has_room(self, scope: Scope) -> bool:
        return scope.tenant == self.own_tenant or await self.store.truth.commit(scope) > 0

    async def _forget_oldest(self, scope: Scope) -> None:
        known = await self.store.records.list_threads(scope, _PREFIX, limit=2 * MOST_THREADS)
        if stale := [one.id for one in known[MOST_THREADS:]]:
            await self.store.records.delete_threads(scope, stale)


def _read(thread: Thread) -> KeptThread:
    """Read a state; one that cannot be read is as if nothing had been said."""
    try:
        kept = json.loads(thread.state)
        return KeptThread(
            thread.version,
            from_json(kept["messages"]),
            {str(name): str(state) for name, state in kept["states"].items()},
            tuple(Pending(**one) for one in kept["pending"]),
            str(kept.get("open_run", "")),
        )
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return KeptThread(thread.version)
