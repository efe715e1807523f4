"""The embedded store: a folder of databases, one for each tenant, behind the five ports."""

from __future__ import annotations

from pathlib import Path

from sextant.errors import ConfigError, NotAStore
from sextant.ports import Progress, Store
from sextant.settings import Settings
from sextant.stores.sqlite.leases import SqliteLeases
from sextant.stores.sqlite.parts.admin import SqliteAdmin
from sextant.stores.sqlite.parts.graph import SqliteGraph
from sextant.stores.sqlite.parts.index import SqliteIndex
from sextant.stores.sqlite.parts.records import SqliteRecords
from sextant.stores.sqlite.parts.tools import SqliteTools
from sextant.stores.sqlite.parts.truth import SqliteTruth
from sextant.stores.sqlite.tenant import Rules
from sextant.stores.sqlite.tenants import OpenTenants
from sextant.stores.sqlite.truth.schema import typed_errors
from sextant.stores.sqlite.upkeep import backup
from sextant.stores.sqlite.upkeep.folder import claim, is_store
from sextant.types import EmbedderIdentity


async def open_store(
    rest: str, settings: Settings, identity: EmbedderIdentity | None, *, adopt: bool = False
) -> Store:
    """Open the store in a folder, making it if need be; who would adopt one must find it there."""
    if not rest:
        raise ConfigError("The sqlite store needs a folder.", "Write sqlite:FOLDER.")
    root = _folder(rest)
    if adopt and not is_store(root):
        raise NotAStore(
            f"There is no store in {root}.",
            "Write something first, or name another: --store sqlite:FOLDER.",
        )
    house = OpenTenants(root, Rules(settings, identity, adopt))
    await house.keep(claim, root)
    return store_of(house)


def store_of(house: OpenTenants) -> Store:
    """Return the parts of a store; its tenants are opened when first asked for."""
    leases = SqliteLeases(house.root, house.rules.settings.sqlite.wait_seconds)
    return Store(
        SqliteTruth(house),
        SqliteIndex(house),
        SqliteGraph(house),
        SqliteRecords(house, leases),
        SqliteAdmin(house, leases),
        SqliteTools(house),
    )


def _folder(rest: str) -> Path:
    return Path(rest).expanduser()


def restore_store(source: Path, root: Path, progress: Progress | None = None) -> list[str]:
    """Make a new store from a backup, and name its tenants."""
    with typed_errors():
        return backup.restore(source, root.expanduser(), progress)
