"""The doors of a house: which are opened, which one a path leads to, and what all others do."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from sextant import build
from sextant.errors import ConfigError
from sextant.serve.door import BELOW, Door, OpenDoor, covers, limits_of
from sextant.serve.house import House, Porch
from sextant.serve.http.problem import NOTHING
from sextant.serve.identity.bearer import Bearer
from sextant.serve.identity.metadata import listed

ELSEWHERE = "none"
_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_PATH = re.compile(r"/[!-)+-~]*(/\*)?|/\*")


class Doors:
    """Finds the door of a path; what no door claims has the guards of every other, then 404."""

    def __init__(self, porch: Porch, doors: Sequence[Door]) -> None:
        _check(doors)
        self._doors = doors
        self._elsewhere = Door(
            name=ELSEWHERE,
            paths=(),
            app=NOTHING,
            scheme=Bearer(porch.identity, porch.settings),
            limits=limits_of(porch.settings.serve),
        )
        claims = [(path, door) for door in doors for path in door.paths]
        self._claims = sorted(claims, key=lambda one: _weight(one[0]), reverse=True)

    def find(self, path: str) -> Door:
        """Return the door whose claim on a path is the longest."""
        for claim, door in self._claims:
            if covers(claim, path):
                return door
        return self._elsewhere

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Hold open what the doors need beside the house."""
        failed: BaseException | None = None
        async with AsyncExitStack() as opened:
            for door in self._doors:
                await opened.enter_async_context(door.lifespan())
            try:
                yield
            except (Exception, SystemExit) as error:  # what a task group would wrap
                failed = error
        if failed:
            raise failed


def open_doors(house: House) -> list[Door]:
    """Open the doors that the settings name, of this package and of others."""
    doors = []
    for name in listed(house.settings.serve.doors):
        opener: OpenDoor = build.find_door(name)
        doors.append(opener(house))
    return doors


def index_of(doors: Sequence[Door]) -> Mapping[str, str]:
    """Return what is where."""
    return {name: path for door in doors for name, path in door.index.items()}


def _weight(claim: str) -> tuple[int, bool]:
    """Return what a claim counts for: the longer one more, then the one on a single path."""
    root = claim.removesuffix(BELOW)
    return len(root), root == claim


def _check(doors: Sequence[Door]) -> None:
    """Refuse doors that cannot be told apart, and paths that say something else than is meant."""
    names: set[str] = {ELSEWHERE}
    claimed: dict[str, str] = {}
    for door in doors:
        if not _NAME.fullmatch(door.name) or door.name in names:
            raise ConfigError(
                f"A door cannot be called {door.name!r}.",
                "Give every door a name of its own in small letters.",
            )
        names.add(door.name)
        for path in door.paths:
            _check_path(door, path, claimed)
        for path in door.open_paths:
            if not any(covers(one, path.removesuffix(BELOW)) for one in door.paths):
                raise ConfigError(
                    f"The door {door.name!r} opens {path!r}, which it does not claim.",
                    "List the path in paths, too.",
                )


def _check_path(door: Door, path: str, claimed: dict[str, str]) -> None:
    if not _PATH.fullmatch(path):
        raise ConfigError(
            f"The door {door.name!r} claims {path!r}, which is not a path.",
            "Write /name, or /name/* for all below it.",
        )
    if path in claimed:
        raise ConfigError(
            f"The doors {claimed[path]!r} and {door.name!r} both claim {path}.",
            "Leave one of them out of serve.doors.",
        )
    claimed[path] = door.name
