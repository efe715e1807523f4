"""What the store in Azure needs there: said, made and checked. Its SDKs are imported here alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sextant.build.adapters import missing_extra
from sextant.build.models import open_embedder
from sextant.settings import Settings

if TYPE_CHECKING:
    from sextant.stores.azure.checking import Finding


async def plan_azure(settings: Settings) -> dict[str, Any]:
    """Return what would be made: the database, its containers, and the index."""
    return _plan(settings, await _width(settings))


def _plan(settings: Settings, width: int) -> dict[str, Any]:
    making, own = _import_making(), settings.azure
    plan: dict[str, Any] = {
        "database": own.database,
        "containers": [asdict(one) for one in making.plan_containers(own)],
    }
    if own.search_endpoint:
        from sextant.stores.azure.search.making import plan_index

        plan["index"] = plan_index(settings, width)
    return plan


async def make_azure(settings: Settings) -> dict[str, Any]:
    """Make what is not there yet, and return what is there then."""
    making, width = _import_making(), await _width(settings)
    await making.make_all(settings, width)
    return _plan(settings, width)


async def check_azure(settings: Settings) -> Sequence[Finding]:
    """Say what can be reached, as whom, and which right is missing."""
    _import_making()
    from sextant.stores.azure import checking

    return await checking.check_azure(settings, await _width(settings))


def _import_making() -> Any:
    try:
        from sextant.stores.azure import making
    except ImportError as error:
        raise missing_extra("azure", error) from error
    return making


async def _width(settings: Settings) -> int:
    embedder = open_embedder(settings)
    try:
        return embedder.identity.width
    finally:
        await embedder.close()
