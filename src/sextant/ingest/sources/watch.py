"""Following a folder or file: what changed, as soon as it has settled. Reads nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path
from typing import Any

from sextant.errors import InvalidInput, MissingExtra, Unreachable
from sextant.ingest.sources.names import fault_of, has_noise, normal
from sextant.ingest.sources.patterns import IGNORE_FILE, Wanted, wanted
from sextant.ingest.sources.place import Place, PlaceKind
from sextant.ingest.sources.rules import SourceRules

_QUIET_MS = 200


async def changes(
    place: Place, rules: SourceRules, most_wait_seconds: float = 2.0
) -> AsyncGenerator[frozenset[str] | None, None]:
    """Yield the paths that changed, or None where everything may have; ends when cancelled.

    The first value is None: from then on nothing is missed, so look at everything once. A path may
    be that of a folder, which stands for all that is in it. Changes that come in a row are told
    together, after ``most_wait_seconds`` at the latest.
    """
    if place.kind is PlaceKind.SITE:
        raise InvalidInput("A site cannot be followed.", "Run ingest again from time to time.")
    patterns = wanted(rules)
    watcher = _watcher(place, int(most_wait_seconds * 1000))
    pending = asyncio.ensure_future(anext(watcher))
    try:
        # One turn of the loop is enough for the watcher to be set up before it starts to wait.
        await asyncio.sleep(0)
        yield None
        while True:
            told = _watched_paths(place, patterns, await pending)
            pending = asyncio.ensure_future(anext(watcher))
            if told is None or told:
                yield told
    except (OSError, RuntimeError) as error:
        raise Unreachable(
            f"{place.name} cannot be followed any more.",
            "Check that it is there, and how many files the system lets one watch.",
        ) from error
    finally:
        pending.cancel()
        await asyncio.gather(pending, return_exceptions=True)
        await watcher.aclose()


def _watcher(place: Place, debounce: int) -> AsyncGenerator[set[tuple[Any, str]], None]:
    try:
        from watchfiles import awatch
    except ImportError as error:
        raise MissingExtra(
            "Following a folder needs the package watchfiles, which is not installed.",
            "Run: pip install 'sextant[watch]'",
        ) from error
    # The package would wait for ever for a folder that is not there.
    if not Path(place.where).exists():
        raise Unreachable(f"{place.name} is no longer there.", "Check the spelling, or the mount.")
    is_folder = place.kind is PlaceKind.FOLDER
    # Editors replace files, which ends a watch on the file; its folder stays.
    return awatch(
        place.where if is_folder else Path(place.where).parent,
        watch_filter=None,
        debounce=debounce,
        step=_QUIET_MS,
        recursive=is_folder,
        ignore_permission_denied=True,
    )


def _watched_paths(
    place: Place, patterns: Wanted, found: Iterable[tuple[Any, str]]
) -> frozenset[str] | None:
    if place.kind is not PlaceKind.FOLDER:
        return frozenset(place.name for _, path in found if path == place.where)
    root = Path(place.where)
    paths = {Path(path).relative_to(root).as_posix() for _, path in found}
    if "." in paths or any(path.rsplit("/", 1)[-1] == IGNORE_FILE for path in paths):
        return None
    told = {normal(path) for path in paths if not has_noise(path) and not fault_of(path)}
    return frozenset(filter(patterns.enters, told))
