"""What a store keeps of the pieces of a chunk: as long as the chunk, and for the same eyes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sextant.errors import InvalidInput
from sextant.ports import Purpose, Store
from sextant.query import Query
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.checks import refused, versions
from sextant.testing.store_suite.opening import IDENTITY, Opened, needs
from sextant.testing.store_suite.samples import AUDITOR, OPERATOR_SCOPE, SCOPE
from sextant.types import Document, EmbedderIdentity, Pieces, Put, Remove, Scope, StoreAbility

IDS = ("runbook#c1", "runbook#c2", "policy#c1", "secret#c1", "code#1", "nothing")


async def pieces(store: Store) -> Mapping[str, Pieces]:
    """Return the pieces of all these chunks, as they stand now."""
    return await store.index.pieces(SCOPE, await versions(store, SCOPE, IDS))


class PiecePromises(Opened):
    """Pieces come back as they were written, and go with what they are of."""

    def test_pieces_come_back_as_they_were_written(self, tmp_path: Path) -> None:
        """A chunk without, and one that is not there, are left out."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.PIECES)
            put = samples.runbook()
            assert put.pieces is not None
            await store.truth.write(SCOPE, [put, samples.policy()])
            assert await pieces(store) == {"runbook#c1": put.pieces[0]}
            assert not await store.index.pieces(SCOPE, {})
            await refused(InvalidInput, store.index.pieces(SCOPE, {"": "version"}))
            without = replace(samples.policy(), pieces=(samples.pieces(),), key="none")
            await store.truth.write(SCOPE, [without])
            assert set(await pieces(store)) == {"runbook#c1"}
            assert (await store.truth.units(SCOPE, ["policy"]))["policy"].pieces == without.pieces

        self.with_store(tmp_path, task)

    def test_pieces_go_with_their_document(self, tmp_path: Path) -> None:
        """Whether it is replaced, loses them, or is removed."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.PIECES)
            put = samples.runbook()
            await store.truth.write(SCOPE, [put])
            others = (samples.pieces((0, 3)), samples.pieces((0, 7), (8, 9)))
            await store.truth.write(SCOPE, [replace(put, pieces=others)])
            assert await pieces(store) == dict(zip(IDS, others, strict=False))
            await store.truth.write(SCOPE, [replace(put, pieces=None)])
            assert not await pieces(store)
            await store.truth.write(SCOPE, [put])
            await store.truth.write(SCOPE, [Remove("runbook")])
            assert not await pieces(store)

        self.with_store(tmp_path, task)

    def test_pieces_are_those_of_the_version_that_was_read(self, tmp_path: Path) -> None:
        """Where somebody wrote since, nothing comes back: it would be of another text."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.PIECES)
            put = samples.runbook()
            await store.truth.write(SCOPE, [put])
            passage = (await store.index.search(SCOPE, Query("pods"))).matches[0].passage
            read = {passage.chunk.id: passage.version}
            before = await store.index.pieces(SCOPE, read)
            assert set(before) == {"runbook#c1"}
            chunk = replace(put.chunks[0], text="Never restart.")
            others = (samples.pieces((0, 5)), samples.pieces((0, 3)))
            new = replace(put, chunks=(chunk, *put.chunks[1:]), pieces=others, key="")
            await store.truth.write(SCOPE, [new])
            assert not await store.index.pieces(SCOPE, read)
            mixed = {**read, **await versions(store, SCOPE, ["runbook#c2"]), "nothing": "v"}
            assert await store.index.pieces(SCOPE, mixed) == {"runbook#c2": others[1]}
            await store.truth.write(SCOPE, [put])
            assert await store.index.pieces(SCOPE, read) == before

        self.with_store(tmp_path, task)

    def test_pieces_are_seen_by_whoever_sees_the_passage(self, tmp_path: Path) -> None:
        """Not by other personas, and not by other tenants."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.PIECES)
            await store.truth.write(SCOPE, [samples.runbook(), samples.secret()])
            standing = await versions(store, SCOPE, IDS)
            other = Scope("acme", frozenset({"dev"}))
            for scope in (SCOPE, AUDITOR, OPERATOR_SCOPE, Scope("globex"), other):
                seen = set(await store.truth.passages(scope, IDS))
                assert set(await store.index.pieces(scope, standing)) == seen - {"runbook#c2"}

        self.with_store(tmp_path, task)

    def test_pieces_survive_a_unit_that_is_read_and_written_again(self, tmp_path: Path) -> None:
        """As it is when a document is linked anew."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.PIECES)
            await store.truth.write(SCOPE, [samples.runbook()])
            before = await pieces(store)
            unit = (await store.truth.units(SCOPE, ["runbook"]))["runbook"]
            receipt = await store.truth.write(
                SCOPE, [replace(unit, entities=(), key="linked anew")]
            )
            assert receipt.written == 1
            assert await pieces(store) == before

        self.with_store(tmp_path, task)

    def test_units_without_a_key_differ_by_their_pieces(self, tmp_path: Path) -> None:
        """So that other pieces of the same text are taken in."""

        async def task(store: Store) -> None:
            put = samples.runbook()
            for own in (None, put.pieces, (None, samples.pieces((1, 2)))):
                one = replace(put, pieces=own)
                assert (await store.truth.write(SCOPE, [one])).written == 1
                assert (await store.truth.write(SCOPE, [one])).unchanged == 1

        self.with_store(tmp_path, task)

    def test_a_rebuild_makes_pieces_anew_if_the_embedder_can(self, tmp_path: Path) -> None:
        """One that cannot leaves none, since those of another would not fit its vectors."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.PIECES)
            await store.truth.write(SCOPE, [samples.runbook(), _code()])
            await store.admin.rebuild(SCOPE, Lengths())
            found = await pieces(store)
            assert found["runbook#c1"] == _lengths("Restart the pods when Service A fails.")
            assert found["runbook#c2"] == _lengths("Process X stops without Service A.")
            assert found["code#1"] == _lengths("# Wait.\nsleep(1)", "stop()")
            await store.admin.rebuild(SCOPE, Deaf())
            assert not await pieces(store)

        self.with_store(tmp_path, task)


class Deaf:
    """An embedder to which all texts are alike, and that knows nothing of pieces."""

    @property
    def identity(self) -> EmbedderIdentity:
        """The one that the suite's stores are opened with."""
        return IDENTITY

    async def embed(
        self,
        texts: Sequence[str],
        purpose: Purpose,  # noqa: ARG002 - the port's
    ) -> NDArray[np.float32]:
        """Return the same row for each text."""
        return np.tile(samples.direction(1.0), (len(texts), 1))

    async def close(self) -> None:
        """Nothing is held open."""


class Lengths(Deaf):
    """An embedder that says of a piece how long it is."""

    async def embed_pieces(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> tuple[NDArray[np.float32], Sequence[NDArray[np.int8]]]:
        """Return the length of each span in every place of its row."""
        lengths = [np.array([end - start for start, end in own], np.int8) for own in spans]
        rows = [np.tile(own[:, None], samples.WIDTH) for own in lengths]
        return await self.embed(texts, "document"), rows


def _lengths(*parts: str) -> Pieces:
    """Return what is said of parts that stand in a text one after the other, a line each."""
    spans, at = [], 0
    for part in parts:
        spans.append((at, at + len(part)))
        at += len(part) + 1
    codes = np.array([[len(part)] * samples.WIDTH for part in parts], np.int8)
    return Pieces(np.array(spans, np.int32), codes)


def _code() -> Put:
    chunk = replace(samples.policy().chunks[0], id="code#1", text="# Wait.\nsleep(1)\nstop()")
    metadata = {"sextant:format": "code"}
    return Put(Document("code", metadata=metadata), (chunk,), vectors=samples.direction(1.0)[None])
