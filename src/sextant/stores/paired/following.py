"""Keeping an index up with a truth in another engine, from the truth alone.

The truth says which documents changed since the commit that the index holds. So nothing has to be
remembered in between: after a crash, or when the index was out of reach, the next one to write or
to read brings it up. Knows no engine.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable

from sextant.ports import FollowingIndex, Truth
from sextant.types import OPERATOR, Changed, EmbedderIdentity, Scope

_BATCH = 200
"""Documents that are read from the truth and handed to the index at once."""


class Following:
    """A truth and the index that follows it; used from one event loop."""

    def __init__(self, truth: Truth, index: FollowingIndex) -> None:
        self._truth, self._index = truth, index
        self._held: dict[str, int] = {}
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._problems: dict[str, str] = {}

    def problem(self, scope: Scope) -> str:
        """Return why the index could not be brought up the last time, or nothing."""
        return self._problems.get(scope.tenant, "")

    def forget(self, scope: Scope) -> None:
        """Ask the index anew what it holds, as somebody else may have changed it."""
        self._held.pop(scope.tenant, None)

    def is_up(self, scope: Scope, commit: int) -> bool:
        """Whether the index was brought up to a commit."""
        return self._held.get(scope.tenant, -1) >= commit

    async def follow(self, scope: Scope, commit: int | None = None) -> int:
        """Bring the index up to the truth's commit, which is asked for if not given; return it.

        Where that fails the index stays behind, and the next one tries again.
        """
        wanted = await self._truth.commit(scope) if commit is None else commit
        if self._held.get(scope.tenant) != wanted:
            await self._in_turn(scope, self._caught_up)
        return wanted

    async def fill_anew(self, scope: Scope, identity: EmbedderIdentity | None) -> None:
        """Let the index drop everything and follow from the beginning, while readers wait."""
        self.forget(scope)

        async def refilled(whole: Scope) -> int:
            await self._index.clear(whole, identity)
            return await self._caught_up(whole)

        await self._in_turn(scope, refilled)

    async def behind(self, scope: Scope) -> int:
        """Return how many documents the index has yet to take in or to drop."""
        whole = whole_of(scope)
        changed = await self._truth.changed(whole, await self._index.held(whole))
        return len(changed.written) + len(changed.removed)

    async def _in_turn(self, scope: Scope, task: Callable[[Scope], Awaitable[int]]) -> None:
        """Note the commit that the index holds after a task, or why that did not succeed."""
        async with self._turns[scope.tenant]:
            try:
                self._held[scope.tenant] = await task(whole_of(scope))
            except Exception as error:  # what was acknowledged stays so, whatever the index does
                self.forget(scope)
                self._problems[scope.tenant] = f"The index is behind the truth: {error}"
            else:
                self._problems.pop(scope.tenant, None)

    async def _caught_up(self, whole: Scope) -> int:
        """Hand over what changed, and return the commit that the index holds then."""
        held = await self._index.held(whole)
        changed = await self._truth.changed(whole, held)
        if changed.commit < held:  # the truth is an older one, from a backup
            await self._index.clear(whole)
            held, changed = 0, await self._truth.changed(whole, 0)
        if changed.commit != held:
            await self._hand_over(whole, held, changed)
        return changed.commit

    async def _hand_over(self, whole: Scope, held: int, changed: Changed) -> None:
        """Apply in batches; only the last says that the index holds the new commit."""
        gone = list(changed.removed)
        last = max(0, len(changed.written) - 1) // _BATCH
        for at in range(last + 1):
            batch = changed.written[at * _BATCH : (at + 1) * _BATCH]
            units = await self._truth.units(whole, batch) if batch else {}
            gone += [name for name in batch if name not in units]  # since the change was told
            commit = changed.commit if at == last else held
            await self._index.apply(whole, commit, list(units.values()), gone)
            gone = []


def whole_of(scope: Scope) -> Scope:
    """Return a scope that sees all that the tenant has."""
    return Scope(scope.tenant, roles=frozenset({OPERATOR}))
