"""Documents come in with the vectors of their pieces, and keep them as long as their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.llms.tiny import Tiny
from sextant.ports import Purpose
from sextant.settings import IngestSettings, Settings
from sextant.text.prose.units import units_of
from sextant.types import OPERATOR, EmbedderIdentity, Pieces, Put, Scope
from tests.ingest.folders import lay_out
from tests.ingest.test_flow import play

ALL = Scope(roles=frozenset({OPERATOR}))
PLAN = "# Plan\n\nOpen the gate at dawn. Close the gate at dusk.\n"
MORE = f"\n# More\n\n{'Something else is said here at some length. ' * 5}\n"
CREW = "# Crew\n\nGate Keeper watches the harbour. Nobody sleeps.\n"


class Whole:
    """An embedder that tells nothing of pieces, and remembers what it read."""

    def __init__(self) -> None:
        self._tiny = Tiny(16)
        self.read: list[str] = []

    @property
    def identity(self) -> EmbedderIdentity:
        return self._tiny.identity

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> Any:
        self.read += texts
        return await self._tiny.embed(texts, purpose)

    async def close(self) -> None:
        await self._tiny.close()


class Both(Whole):
    """One that tells of pieces, too."""

    async def embed_pieces(self, texts: Sequence[str], spans: Any) -> Any:
        self.read += texts
        return await self._tiny.embed_pieces(texts, spans)


class Place:
    """A folder, a store, and embedders to take the one into the other with."""

    def __init__(self, folder: Path, core: Sextant) -> None:
        self.folder, self.core = folder / "docs", core

    async def take_in(self, embedder: Whole, **tree: str) -> list[str]:
        """Ingest what the folder holds, and return what was embedded."""
        embedder.read.clear()
        lay_out(self.folder, {f"{name}.md": text for name, text in tree.items()})
        report = await replace(self.core, embedder=embedder).ingest(ALL, [str(self.folder)])
        assert not report.failed
        return list(embedder.read)

    async def unit(self, name: str) -> Put:
        document_id = f"docs/{name}.md"
        return (await self.core.store.truth.units(ALL, [document_id]))[document_id]

    async def pieces(self, name: str) -> Pieces:
        """Return those of the first chunk."""
        unit = await self.unit(name)
        first = unit.chunks[0].id
        return (await self.core.store.index.pieces(ALL, {first: unit.key}))[first]


@pytest.fixture(params=["memory:", "sqlite:"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    folder = str(tmp_path / "s") if request.param == "sqlite:" else ""
    ingest = IngestSettings(chunk_characters=200)
    return Settings(store=f"{request.param}{folder}", embedder="tiny:16", ingest=ingest)


def test_pieces_are_those_that_a_passage_has(settings: Settings, tmp_path: Path) -> None:
    async def run() -> None:
        async with await open_sextant(settings) as core:
            place = Place(tmp_path, core)
            await place.take_in(Both(), plan=PLAN)
            (chunk,) = (await place.unit("plan")).chunks
            passage = (await core.store.truth.passages(ALL, [chunk.id]))[chunk.id]
            units = units_of(passage)
            pieces = await place.pieces("plan")
            assert pieces.spans.tolist() == [[unit.start, unit.end] for unit in units]
            alone = await Tiny(16).embed(
                [chunk.text[unit.start : unit.end] for unit in units], "query"
            )
            rows = pieces.codes.astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            assert (rows * alone).sum(axis=1) == pytest.approx(1, abs=1e-3)

    play(run())


def test_pieces_survive_that_others_are_linked_and_texts_that_stay(
    settings: Settings, tmp_path: Path
) -> None:
    """A name that comes later links the first document anew; its text is not embedded again."""

    async def run() -> None:
        async with await open_sextant(settings) as core:
            place, embedder = Place(tmp_path, core), Both()
            told = "# Notes\n\nAsk the gate keeper. He knows.\n"
            assert len(await place.take_in(embedder, notes=told)) == 1
            before, first = await place.pieces("notes"), await place.unit("notes")
            read = await place.take_in(embedder, notes=told, keeper=f"# Gate Keeper\n\n{CREW}")
            assert all("Ask the" not in text for text in read)
            assert (await place.unit("notes")).key != first.key
            assert await place.pieces("notes") == before
            read = await place.take_in(embedder, notes=told + MORE)
            assert read
            assert all("Ask the" not in text for text in read)
            assert await place.pieces("notes") == before

    play(run())


def test_a_text_that_has_no_pieces_yet_is_embedded_anew(settings: Settings, tmp_path: Path) -> None:
    """Once its document is written again, and only if somebody can tell of them."""

    async def run() -> None:
        async with await open_sextant(settings) as core:
            place = Place(tmp_path, core)
            await place.take_in(Whole(), plan=PLAN)
            unit = await place.unit("plan")
            assert unit.pieces is None
            assert unit.vectors is not None
            assert not await place.take_in(Both(), plan=PLAN)
            new = await place.take_in(Whole(), plan=PLAN + MORE)
            assert all("gate" not in text for text in new)
            again = await place.take_in(Both(), plan=f"{PLAN}{MORE}\n")
            assert len(again) == len(new) + 1
            after = await place.unit("plan")
            assert after.vectors is not None
            assert np.array_equal(after.vectors[0], unit.vectors[0])
            assert after.pieces is not None
            assert None not in after.pieces

    play(run())
