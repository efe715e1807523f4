"""Folders on disk and stores beside them, for tests that run the whole line."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.ingest.flow import AS_USUAL, Options
from sextant.ingest.report import Report
from sextant.limits import DEFAULT, Limits
from sextant.settings import IngestSettings, Rule, Settings
from sextant.types import OPERATOR, Scope

SCOPE = Scope(roles=frozenset({OPERATOR}))
WRITTEN = 1_700_000_000
"""When every file was written, so that copies of a folder are the same."""

Tree = Mapping[str, str | bytes]


def settings_at(
    folder: Path, *rules: Rule, chunk_characters: int = 800, limits: Limits = DEFAULT
) -> Settings:
    """Return settings for a small store in a folder."""
    ingest = IngestSettings(chunk_characters=chunk_characters, rules=tuple(rules))
    return Settings(store=f"sqlite:{folder}", embedder="tiny:16", ingest=ingest, limits=limits)


def lay_out(folder: Path, tree: Tree) -> None:
    """Let a folder hold these files and no others."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for name, content in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        os.utime(path, (WRITTEN, WRITTEN))


@asynccontextmanager
async def workplace(*rules: Rule, limits: Limits = DEFAULT) -> AsyncIterator[Workplace]:
    """Open a place to work in that is gone afterwards."""
    home = Path(tempfile.mkdtemp(prefix="sextant-flow-"))
    settings = settings_at(home / "store", *rules, limits=limits)
    try:
        async with await open_sextant(settings) as sextant:
            yield Workplace(home, sextant)
    finally:
        shutil.rmtree(home)


class Workplace:
    """A folder called ``docs`` and an open store beside it."""

    def __init__(self, home: Path, sextant: Sextant) -> None:
        self.home, self.sextant = home, sextant
        self.docs = home / "docs"

    async def take_in(self, tree: Tree, options: Options = AS_USUAL) -> Report:
        """Let the folder hold this, and ingest it."""
        lay_out(self.docs, tree)
        return await self.ingest(options=options)

    async def ingest(self, *sources: str | Path, options: Options = AS_USUAL) -> Report:
        """Ingest sources, or the folder if there are none."""
        named = [str(source) for source in sources or (self.docs,)]
        return await self.sextant.ingest(SCOPE, named, options)

    async def dump(self) -> list[str]:
        """Return all that the store knows, in its canonical form."""
        return await dump(self.sextant)

    async def commit(self) -> int:
        """Return the number of the last commit."""
        return (await self.sextant.store.admin.status(SCOPE)).commit

    async def document_ids(self, scope: Scope = SCOPE) -> list[str]:
        """Name the documents that a scope sees."""
        return [one.id for one in await self.sextant.store.truth.documents(scope, "", 10_000)]


async def dump(sextant: Sextant) -> list[str]:
    """Return all that a store knows but whether a run is under way."""
    return [line async for line in sextant.store.admin.dump(SCOPE) if '"ingest.' not in line]


async def fresh(tree: Tree, *rules: Rule, options: Options = AS_USUAL) -> list[str]:
    """Return what a new store holds after one run over this folder."""
    async with workplace(*rules) as place:
        await place.take_in(tree, options)
        return await place.dump()


def only(tree: Tree, names: Sequence[str]) -> Tree:
    """Return these files of a tree."""
    return {name: tree[name] for name in names}
