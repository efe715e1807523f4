"""Keeping an index up with a truth in another engine, from the truth alone.

The truth says which documents changed since the commit that the index holds. So nothing has to be
remembered in between: after a crash, or when the index was out of reach, the next one to write or
to read brings it up. A truth forgets removals in the end: an index that missed such is emptied and
filled anew. Knows no engine.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from sextant.errors import IndexBehind, Outdated
from sextant.ports import FollowingIndex, Truth
from sextant.types import (
    OPERATOR,
    Changed,
    EmbedderIdentity,
    IndexChange,
    IndexPosition,
    Scope,
)

_BATCH = 200
"""Documents that are read from the truth and handed to the index at once."""
_SINCE = "; filled since "


class Following:
    """A truth and the index that follows it; used from one event loop.

    Other processes may keep the same index up. What it holds is asked of it each time, and each
    change names the position that it was made for.
    """

    def __init__(self, truth: Truth, index: FollowingIndex) -> None:
        self._truth, self._index = truth, index
        self._held: dict[str, int] = {}
        self._histories: dict[str, str] = {}
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._problems: dict[str, str] = {}

    def problem(self, scope: Scope) -> str:
        """Return why the index could not be brought up the last time, or nothing."""
        return self._problems.get(scope.tenant, "")

    def is_up(self, scope: Scope, commit: int) -> bool:
        """Whether the index held a commit when it was last asked."""
        return self._held.get(scope.tenant, -1) >= commit

    async def follow(self, scope: Scope, commit: int | None = None) -> int:
        """Bring the index up to the truth's commit, which is asked for if not given; return it.

        Where that fails the index stays behind, and the next one tries again.
        """
        if commit is None:
            wanted, at = await asyncio.gather(self._truth.commit(scope), self._position(scope))
        else:
            wanted, at = commit, await self._position(scope)
        if not self._is_at(scope, at, wanted):
            await self._in_turn(scope, self._caught_up)
        return wanted

    async def fill_anew(self, scope: Scope, identity: EmbedderIdentity | None) -> None:
        """Let the index drop everything and follow from the beginning, while readers wait."""

        async def refilled(whole: Scope) -> int:
            await self._index.clear(whole, identity)
            return await self._caught_up(whole)

        await self._in_turn(scope, refilled)
        if problem := self.problem(scope):
            raise IndexBehind(
                f"The index could not be filled anew. {problem}",
                "The truth is rebuilt. Once the index is back, run `sextant rebuild` again.",
            )

    async def behind(self, scope: Scope) -> int:
        """Return how many documents the index has yet to take in or to drop."""
        whole = whole_of(scope)
        at = await self._index.held(whole)
        changed = await self._truth.changed(whole, at.commit)
        if not _can_go_on(at, changed):
            changed = await self._truth.changed(whole, 0)
            return max(1, len(changed.written))
        return len(changed.written) + len(changed.removed)

    async def _position(self, scope: Scope) -> IndexPosition | None:
        """Return where the index stands, or None where it cannot say so."""
        try:
            at = await self._index.held(whole_of(scope))
        except Exception:  # whoever tries to bring it up notes why that fails
            return None
        self._held[scope.tenant] = at.commit
        return at

    def _is_at(self, scope: Scope, at: IndexPosition | None, commit: int) -> bool:
        """Whether the index holds a commit of this truth; one that cannot say so does not."""
        if at is None:
            return False
        is_ours = not commit or at.history == self._histories.get(scope.tenant)
        return is_ours and at.commit == commit

    async def _in_turn(self, scope: Scope, task: Callable[[Scope], Awaitable[int]]) -> None:
        """Note the commit that the index holds after a task, or why that did not succeed."""
        async with self._turns[scope.tenant]:
            try:
                self._held[scope.tenant] = await task(whole_of(scope))
            except Exception as error:  # what was acknowledged stays so, whatever the index does
                self._held.pop(scope.tenant, None)
                self._problems[scope.tenant] = f"The index is behind the truth: {error}"
            else:
                self._problems.pop(scope.tenant, None)

    async def _caught_up(self, whole: Scope) -> int:
        """Hand over what changed, and return the commit that the index holds then."""
        while True:
            at = await self._index.held(whole)
            changed = await self._truth.changed(whole, at.commit)
            self._histories[whole.tenant] = changed.history
            if not _can_go_on(at, changed):
                await self._index.clear(whole)
            elif changed.commit == at.commit or await self._hand_over(whole, at, changed):
                return changed.commit

    async def _hand_over(self, whole: Scope, at: IndexPosition, changed: Changed) -> bool:
        """Apply in batches, only the last of which says that the index holds the new commit.

        False if somebody else brought it to another commit meanwhile.
        """
        names = (*changed.written, *changed.removed)
        last = max(0, len(names) - 1) // _BATCH
        is_new = not (at.commit or at.history)
        history = _filling(changed) if is_new else at.history
        halfway = replace(changed, commit=at.commit, history=history)
        for number in range(last + 1):
            batch = names[number * _BATCH : (number + 1) * _BATCH]
            new = await self._applied(whole, at, changed if number == last else halfway, batch)
            if new is None:
                return False
            at = new
        return True

    async def _applied(
        self, whole: Scope, at: IndexPosition, goal: Changed, names: Sequence[str]
    ) -> IndexPosition | None:
        """Let the index have documents as they are now; None where it is at another commit."""
        while True:
            # Read after the position: so nothing replaces what somebody else applied later.
            units = await self._truth.units(whole, names) if names else {}
            gone = tuple(name for name in names if name not in units)
            change = IndexChange(at, goal.commit, goal.history, tuple(units.values()), gone)
            try:
                return await self._index.apply(whole, change)
            except Outdated:
                now = await self._index.held(whole)
            if (now.commit, now.history) != (at.commit, at.history):
                return None
            at = now


def _filling(changed: Changed) -> str:
    """Return the history of an index that is filled from nothing, until it holds a commit.

    It tells when that began: what was removed since has to be dropped again.
    """
    return f"{changed.history}{_SINCE}{changed.commit}"


def _can_go_on(at: IndexPosition, changed: Changed) -> bool:
    """Whether an index gets right by what changed; else it has to be emptied first.

    It may be of another truth, or ahead of this one, or have missed removals that are forgotten.
    """
    if not at.history and not at.commit:
        return True
    history, _, begun = at.history.partition(_SINCE)
    oldest = int(begun) if begun.isdecimal() else at.commit
    return history == changed.history and changed.complete_since <= oldest <= changed.commit


def whole_of(scope: Scope) -> Scope:
    """Return a scope that sees all that the tenant has."""
    return Scope(scope.tenant, roles=frozenset({OPERATOR}))
