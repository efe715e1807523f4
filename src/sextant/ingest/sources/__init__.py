"""Where knowledge comes from: folders, files, archives and sites, as items that load on demand."""

from sextant.ingest.sources.gathering import complete, fetched, gather, items, overlooked
from sextant.ingest.sources.place import Place, PlaceKind, place_of
from sextant.ingest.sources.rules import SourceRules
from sextant.ingest.sources.watch import changes

__all__ = [
    "Place",
    "PlaceKind",
    "SourceRules",
    "changes",
    "complete",
    "fetched",
    "gather",
    "items",
    "overlooked",
    "place_of",
]
