"""How the index follows: rows are written under a new change, then it counts, then old ones go.

Readers compare what they find with the truth, so that neither rows of a change that does not count
nor old ones that are still there are shown. Both are dropped when they are seen.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from sextant.errors import Outdated, SextantError
from sextant.stores.azure.search.client import SearchConnection
from sextant.stores.azure.search.definition import KEY
from sextant.stores.azure.search.filters import tenant_filter, values_filter
from sextant.stores.azure.search.positions import Mark, Positions, new_change, until_late
from sextant.stores.azure.search.refusals import not_shown_yet
from sextant.stores.azure.search.rows import unit_rows
from sextant.types import IndexChange, IndexPosition, Scope

_SAMPLE = 20
"""Rows of a change that are looked for to say that it is shown; one search finds them."""
_PAGE = 1_000
"""Rows that the service lists at once."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes to the rows of a tenant, which take turns by its mark."""

    connection: SearchConnection
    positions: Positions

    async def apply(self, scope: Scope, change: IndexChange) -> Mark:
        """Take documents in and drop others, if the index still stands where the change says."""
        before = await self.positions.read(scope)
        if before.position != change.over:
            raise Outdated("The index has changed since.", "Ask what it holds, and try again.")
        if not await self.wait_for(scope, before):
            raise not_shown_yet()
        number, changes = new_change(), before.position.changes + 1
        rows = [row for put in change.puts for row in unit_rows(scope.tenant, put, changes, number)]
        keys = [row[KEY] for row in rows]
        names = (*(put.document.id for put in change.puts), *change.removed)
        position = IndexPosition(change.commit, changes, change.history)
        after = Mark(position, number, _sample(keys), names)
        try:
            await self.connection.write(rows)
            await self.positions.move(scope, before, after)
        except Outdated:
            await self.connection.drop(keys)
            raise
        await self._sweep(scope, after)
        return after

    async def clear(self, scope: Scope) -> Mark:
        """Drop all that the tenant has; what somebody is about to apply is refused then."""
        while True:
            before = await self.positions.read(scope)
            position = IndexPosition(changes=before.position.changes + 1)
            after = Mark(position, new_change(), documents=None)
            try:
                await self.positions.move(scope, before, after)
            except Outdated:
                continue
            await self._sweep(scope, after)
            return after

    async def is_shown(self, scope: Scope, mark: Mark) -> bool:
        """Whether a search finds what the last change wrote, and nothing that it dropped."""
        if not mark.change:
            return True
        filters = [f"({_dropped(scope, mark)})"]
        if mark.keys:
            filters.append(values_filter(KEY, mark.keys))
        found = await self.connection.find(filter=" or ".join(filters), select=[KEY], top=_PAGE)
        seen = {row[KEY] for row in found.rows}
        if left := sorted(seen - set(mark.keys)):
            await self._drop_if_allowed(left)
        return seen == set(mark.keys)

    async def wait_for(self, scope: Scope, mark: Mark) -> bool:
        """Wait until the last change is shown; False where that takes too long."""
        async for _ in until_late(self.connection.settings.lag_seconds):
            if await self.is_shown(scope, mark):
                return True
        return False

    async def _sweep(self, scope: Scope, mark: Mark) -> None:
        """Drop the rows that a change has put others in the place of."""
        if mark.documents is None or mark.documents:
            async for keys in self._listed(_dropped(scope, mark)):
                await self.connection.drop(keys)

    async def _listed(self, wanted: str) -> AsyncIterator[Sequence[str]]:
        """Yield the keys of rows, page by page; the service skips no more than 100,000 rows."""
        last = ""
        while True:
            after = f" and {KEY} gt '{last}'" if last else ""
            found = await self.connection.find(
                filter=f"({wanted}){after}", select=[KEY], order_by=[KEY], top=_PAGE
            )
            if found.rows:
                keys = [row[KEY] for row in found.rows]
                yield keys
                last = keys[-1]
            if len(found.rows) < _PAGE:
                return

    async def _drop_if_allowed(self, keys: Sequence[str]) -> None:
        """Drop rows on the way; whoever may only read leaves that to others."""
        try:
            await self.connection.drop(keys)
        except SextantError:
            return


def _dropped(scope: Scope, mark: Mark) -> str:
    """Return which rows a change drops: older ones, and those of changes that did not count."""
    number, own = mark.position.changes, mark.change
    parts = [
        tenant_filter(scope.tenant),
        f"(changes lt {number} or (changes eq {number} and change ne {own}))",
    ]
    if mark.documents is not None:
        parts.append(values_filter("documentId", mark.documents))
    return " and ".join(parts)


def _sample(keys: Sequence[str]) -> tuple[str, ...]:
    """Return some of the keys, spread over all of them."""
    step = max(1, -(-len(keys) // _SAMPLE))
    return tuple(keys[::step])
