"""What the parts of a store in memory share: one dict per tenant, gone when the process is."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from sextant import limits
from sextant.errors import StoreClosed
from sextant.settings import Settings
from sextant.stores.memory.threads import ThreadDicts
from sextant.stores.memory.tools import ToolDicts
from sextant.stores.removals import most_removals
from sextant.text.words import Words
from sextant.types import EmbedderIdentity, Feedback, Put, Scope


@dataclass
class Tenant:
    """All that a tenant has."""

    commit: int = 0
    units: dict[str, Put] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)
    """The commit of the last change of each document that is there."""
    removed: dict[str, int] = field(default_factory=dict)
    """The commit at which each document went that is not."""
    counters: dict[str, int] = field(default_factory=dict)
    threads: ThreadDicts = field(default_factory=ThreadDicts)
    feedback: list[Feedback] = field(default_factory=list)
    tools: ToolDicts = field(default_factory=ToolDicts)
    complete_since: int = 0
    """Up to which commit removals may be forgotten."""
    history: str = field(default_factory=lambda: secrets.token_hex(8))
    """Tells it from one of the same name in another process."""

    def take(self, units: dict[str, Put]) -> None:
        """Have these units instead, from the next commit on."""
        self.commit += 1
        new = {name for name, unit in units.items() if self.units.get(name) is not unit}
        gone = self.units.keys() - units.keys()
        self.written = {name: self.commit if name in new else self.written[name] for name in units}
        self.removed = {name: at for name, at in self.removed.items() if name not in units}
        self.removed |= dict.fromkeys(gone, self.commit)
        self.units = units
        self._forget_old_removals()

    def _forget_old_removals(self) -> None:
        most = most_removals(len(self.units))
        if len(self.removed) > most:
            self.complete_since = sorted(self.removed.values(), reverse=True)[most]
            kept = (pair for pair in self.removed.items() if pair[1] > self.complete_since)
            self.removed = dict(kept)


class Tenants:
    """Every tenant that something was written for, and what they were opened with."""

    def __init__(self, settings: Settings, identity: EmbedderIdentity | None) -> None:
        self.settings, self.identity = settings, identity
        self.words = Words(settings.keyword.language)
        self._tenants: dict[str, Tenant] = {}
        self._closed = False

    @property
    def width(self) -> int:
        """How wide the vectors are; 0 without an embedder."""
        return self.identity.width if self.identity else 0

    def tenant(self, scope: Scope) -> Tenant:
        """Return what the tenant has, which may be nothing; it is not made."""
        if self._closed:
            raise StoreClosed("The store is closed.", "Open it again.")
        limits.check_scope(scope, self.settings.limits)
        return self._tenants.get(scope.tenant) or Tenant()

    def made(self, scope: Scope) -> Tenant:
        """Return the tenant, made if need be."""
        return self._tenants.setdefault(scope.tenant, self.tenant(scope))

    def seen(self, scope: Scope) -> list[Put]:
        """Return the units that exist for the scope."""
        units = self.tenant(scope).units.values()
        return [unit for unit in units if scope.sees(unit.document)]

    def names(self) -> list[str]:
        """Name the tenants, in order."""
        return sorted(self._tenants)

    def close(self) -> None:
        """Forget everything."""
        self._closed = True
        self._tenants.clear()
