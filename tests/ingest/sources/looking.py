"""Short ways to look at what a source gave."""

from pathlib import Path

from sextant.errors import SextantError
from sextant.ingest.sources import SourceRules, items, place_of
from sextant.ingest.values import Item, Refusal

Found = list[Item | Refusal]


def found_in(path: Path, **rules: object) -> Found:
    return list(items(place_of(str(path)), SourceRules(**rules)))  # type: ignore[arg-type]


def paths(found: Found) -> list[str]:
    return [item.path for item in found if isinstance(item, Item)]


def texts(found: Found) -> dict[str, bytes]:
    return {item.path: item.load() for item in found if isinstance(item, Item)}


def refused(found: Found) -> dict[str, type[SextantError]]:
    return {
        refusal.path: type(refusal.error)
        for refusal in found
        if isinstance(refusal, Refusal) and not refusal.skipped
    }


def skipped(found: Found) -> set[str]:
    return {what.path for what in found if isinstance(what, Refusal) and what.skipped}
