"""The indexes of tenants, shared by all who ask, and kept in step with what is written.

Personas that see different tools have an index each, so that what one may not see is not felt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sextant.ports import Embedder, ToolGraph
from sextant.settings import ToolboxSettings
from sextant.text.words import Words
from sextant.toolbox.embedding import embed_uses
from sextant.toolbox.index import ToolIndex, make_index, with_habits, with_memory
from sextant.toolbox.learn.habits import WeighedHabits, weigh_habits
from sextant.toolbox.learn.trust import measure_trust
from sextant.types import (
    OPERATOR,
    Habits,
    Outcome,
    Scope,
    StoredTool,
    ToolRelation,
    ToolState,
    ToolUse,
    is_open_to,
)

_PAGE = 1_000
_EMBEDDED_AT_ONCE = 16
"""Past requests that are embedded before one selection: about 0.3 s on a slow core."""
_NEWS = 100
"""Habits are weighed anew once uses grew by one part in so many; requests are known at once."""
_MOST_VIEWS = 16
"""Indexes of one tenant that are kept for different personas and users."""


Seen = frozenset[str] | None
"""The personas that matter for what is seen; None sees all."""


@dataclass(slots=True)
class _Tenant:
    """What was read of a tenant, up to a state, and the indexes that were made of it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    state: ToolState | None = None
    tools: tuple[StoredTool, ...] = ()
    relations: tuple[ToolRelation, ...] = ()
    personas: frozenset[str] = frozenset()
    remembered: list[ToolUse] = field(default_factory=list)
    waiting: list[ToolUse] = field(default_factory=list)
    """Uses whose requests are not embedded yet."""
    measured: int = 0
    """How many were remembered when it was last measured how far to trust them."""
    habits: Habits = field(default_factory=Habits)
    users: frozenset[str] = frozenset()
    bases: dict[Seen, ToolIndex] = field(default_factory=dict)
    """Indexes of what personas see, without its use."""
    views: dict[tuple[Seen, str], ToolIndex] = field(default_factory=dict)
    """The same with its use, for users who have habits of their own."""


class ToolIndexes:
    """Gives everybody the index of the tools that they may see."""

    def __init__(
        self, graph: ToolGraph, embedder: Embedder, settings: ToolboxSettings, words: Words
    ) -> None:
        self._graph, self._embedder, self._settings, self._words = graph, embedder, settings, words
        self._tenants: dict[str, _Tenant] = {}

    async def current(self, scope: Scope) -> ToolIndex:
        """Return an index that holds all that was written before."""
        own = self._tenants.setdefault(scope.tenant, _Tenant())
        async with own.lock:
            await self._refresh(own, scope.tenant)
            await self._embed_waiting(own, scope.tenant, _EMBEDDED_AT_ONCE)
            return await self._view(own, scope)

    async def learn(self, scope: Scope) -> int:
        """Embed all past requests that wait for it, and return how many there were."""
        own = self._tenants.setdefault(scope.tenant, _Tenant())
        embedded = 0
        while True:
            async with own.lock:
                await self._refresh(own, scope.tenant)
                done = await self._embed_waiting(own, scope.tenant, 8 * _EMBEDDED_AT_ONCE)
            embedded += done
            if not done:
                return embedded

    async def habits(self, scope: Scope) -> WeighedHabits:
        """Return how tools are used today, those of whoever asks weighing more."""
        return self._weigh(await self._graph.habits(_reader(scope.tenant)), scope.user or "")

    async def _refresh(self, own: _Tenant, tenant: str) -> None:
        scope = _reader(tenant)
        state, before = await self._graph.state(scope), own.state
        if state == before:
            return
        if before is None or (state.history, state.catalogue) != (before.history, before.catalogue):
            await self._read_catalogue(own, scope)
        if before is None or (state.history, state.forgotten) != (before.history, before.forgotten):
            own.remembered, own.waiting = [], []
            own.views.clear()
            await self._read_uses(own, scope, max(0, state.uses - self._settings.remembered_uses))
        elif state.uses != before.uses:
            await self._read_uses(own, scope, before.uses)
        await self._read_habits(own, scope, state)
        own.state = state

    async def _read_catalogue(self, own: _Tenant, scope: Scope) -> None:
        tools: list[StoredTool] = []
        while page := await self._graph.read_tools(
            scope, tools[-1].tool.id if tools else "", _PAGE
        ):
            tools.extend(page)
        own.tools = tuple(tools)
        own.relations = tuple(await self._graph.relations(scope))
        own.personas = frozenset().union(*(one.tool.personas for one in tools))
        own.bases.clear()
        own.views.clear()

    async def _read_uses(self, own: _Tenant, scope: Scope, after: int) -> None:
        new: list[ToolUse] = []
        while page := await self._graph.read_uses(scope, after, _PAGE):
            new += [use for use in page if use.request and use.outcome is Outcome.DONE]
            after = page[-1].number
        shape = (self._embedder.identity.width,)
        known = [use for use in new if use.vector is not None and use.vector.shape == shape]
        numbers = {use.number for use in known}
        own.waiting += [use for use in new if use.number not in numbers]
        self._remember(own, known)

    def _remember(self, own: _Tenant, uses: list[ToolUse]) -> None:
        most = self._settings.remembered_uses
        own.remembered = [*own.remembered, *uses][-most:] if uses else own.remembered
        if len(own.remembered) >= 2 * own.measured:
            own.views.clear()
        for key, view in own.views.items():
            own.views[key] = self._with_memory(view, uses)

    async def _embed_waiting(self, own: _Tenant, tenant: str, most: int) -> int:
        """Embed the latest requests that wait, and keep their vectors."""
        batch = own.waiting[-most:]
        if batch:
            vectors = await embed_uses(self._embedder, batch)
            await self._graph.keep_vectors(_reader(tenant), vectors)
            del own.waiting[-most:]
            self._remember(own, [replace(use, vector=vectors[use.number]) for use in batch])
        return len(batch)

    async def _read_habits(self, own: _Tenant, scope: Scope, state: ToolState) -> None:
        known = own.habits.state
        same = (known.history, known.forgotten) == (state.history, state.forgotten)
        if same and (state.uses - known.uses) * _NEWS < known.uses:
            return
        own.habits = await self._graph.habits(scope)
        own.users = frozenset(one.user for one in own.habits.tools) - {""}
        own.views.clear()

    async def _view(self, own: _Tenant, scope: Scope) -> ToolIndex:
        seen = None if scope.sees_all or not own.personas else scope.personas & own.personas
        user = scope.user if scope.user in own.users else ""
        if (seen, user) not in own.views:
            if seen not in own.bases:
                _make_room(own.bases)
                own.bases[seen] = await asyncio.to_thread(self._make, own, seen)
            _make_room(own.views)
            habits = self._weigh(own.habits, user)
            own.views[seen, user] = await asyncio.to_thread(self._teach, own, seen, habits)
        return own.views[seen, user]

    def _make(self, own: _Tenant, seen: Seen) -> ToolIndex:
        visible = [one for one in own.tools if seen is None or is_open_to(seen, one.tool.personas)]
        shown = {one.tool.id for one in visible}
        hidden = frozenset(one.tool.id for one in own.tools if one.tool.id not in shown)
        return make_index(
            visible, own.relations, hidden, self._words, self._embedder.identity.width
        )

    def _teach(self, own: _Tenant, seen: Seen, habits: WeighedHabits) -> ToolIndex:
        index = self._with_memory(with_habits(own.bases[seen], habits), own.remembered)
        own.measured = len(own.remembered)
        return replace(index, trust=measure_trust(index, [use.request for use in own.remembered]))

    def _with_memory(self, index: ToolIndex, uses: Iterable[ToolUse]) -> ToolIndex:
        width = self._embedder.identity.width
        return with_memory(index, uses, width, self._settings.remembered_uses)

    def _weigh(self, habits: Habits, user: str = "") -> WeighedHabits:
        half_life = timedelta(days=self._settings.half_life_days)
        return weigh_habits(habits, datetime.now(UTC), half_life, user)


def _reader(tenant: str) -> Scope:
    """Return a scope that sees all tools of a tenant; what is shown is filtered for who asks."""
    return Scope(tenant=tenant, roles=frozenset({OPERATOR}))


def _make_room(kept: dict[Any, ToolIndex]) -> None:
    while len(kept) >= _MOST_VIEWS:
        kept.pop(next(iter(kept)))
