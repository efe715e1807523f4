"""Words first: everything is found at once, and gets its vectors afterwards."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest

from sextant.ingest.embedding.failures import read_failures
from sextant.ingest.embedding.progress import Vectors
from sextant.ingest.flow import Options
from sextant.ingest.report import Report
from sextant.query import Query
from sextant.types import Put
from tests.ingest.embedding.slow import BROKEN, Watched, watched, with_embedder
from tests.ingest.folders import SCOPE, Workplace, fresh, lay_out, workplace

WORDS_ONLY = Options(words_only=True)
FILLER = "It goes on and on and says little that is new to anybody here. " * 10
LINE = "Harbor Queue feeds the {} and nobody minds it at all.\n"
TREE = {
    "queue.md": "# Harbor Queue\n\n" + LINE.format("ledger"),
    "ledger.md": "# Ledger\n\nThe ledger calls Harbor Queue.\n\n## Rest\n\n" + LINE.format("town"),
    "mill.md": "# Mill\n\nThe mill grinds, and nobody minds it either.\n",
}
IDS = {"docs/queue.md", "docs/ledger.md", "docs/mill.md"}


async def units(place: Workplace) -> dict[str, Put]:
    return dict(await place.sextant.store.truth.units(SCOPE, await place.document_ids()))


async def waiting(place: Workplace) -> set[str]:
    return {one.document_id for one in await place.sextant.store.truth.unembedded(SCOPE)}


async def found(place: Workplace, words: str) -> set[str]:
    matches = (await place.sextant.store.index.search(SCOPE, Query(words))).matches
    return {match.passage.document.id for match in matches}


def heard_in(embedder: Watched, *words: str) -> list[bool]:
    """Return for each word whether it was embedded before the one after it."""
    places = [next(at for at, text in enumerate(embedder.seen) if word in text) for word in words]
    return [one < other for one, other in pairwise(places)]


async def test_everything_is_found_by_words_and_names_before_the_first_vector() -> None:
    async with watched() as (place, embedder):
        lay_out(place.docs, TREE)
        told: list[tuple[int, int, int]] = []

        def hear(report: Report) -> None:
            if vectors := report.vectors:
                told.append((vectors.left, vectors.chunks, len(embedder.seen)))

        embedder.before = lambda: pytest.fail("Nothing was to be embedded.")
        report = await place.sextant.ingest(SCOPE, [str(place.docs)], WORDS_ONLY, hear)
        assert (report.vectors, report.added, told) == (None, 3, [])
        assert await found(place, "mill") == {"docs/mill.md"}
        names = await place.sextant.lookup(SCOPE, ["Harbor Queue"])
        assert names["Harbor Queue"]
        assert await waiting(place) == IDS
        embedder.before = lambda: None
        report = await place.sextant.ingest(SCOPE, [str(place.docs)], None, hear)
        assert told[0] == (3, 3, 0)
        assert report.vectors == Vectors(3, 0, 3)
        assert await place.dump() == await fresh(TREE)


async def test_a_run_that_waits_for_vectors_ends_as_one_that_left_them_out() -> None:
    async with workplace() as place:
        await place.take_in(TREE, WORDS_ONLY)
        assert (await place.sextant.embed_waiting(SCOPE)).made == 3
        assert await place.dump() == await fresh(TREE)
        assert not await place.sextant.store.admin.check(SCOPE)


async def test_what_came_last_is_embedded_first_and_what_was_asked_about_before_it() -> None:
    async with watched() as (place, embedder):
        for count in (1, 2, 3):
            await place.take_in(dict(list(TREE.items())[:count]), WORDS_ONLY)
        place.sextant.wanted.note_asked(SCOPE, ["docs/none.md", "docs/queue.md"])
        await place.sextant.embed_waiting(SCOPE)
        assert heard_in(embedder, "feeds the ledger", "grinds", "The ledger calls") == [True, True]
        assert not place.sextant.wanted.take(SCOPE, 10)
        assert len(embedder.seen) == 3


async def test_a_text_that_cannot_be_embedded_leaves_the_others_theirs() -> None:
    tree = {**TREE, "bad.md": f"# Bad\n\n{FILLER}\n\n## Worse\n\n{FILLER} {BROKEN}.\n"}
    async with watched() as (place, embedder):
        report = await place.take_in(tree)
        why = {"docs/bad.md": "Such words are not embedded."}
        assert report.vectors is not None
        assert (report.vectors.failed, report.vectors.left) == (why, 2)
        assert await waiting(place) == {"docs/bad.md"}
        assert await read_failures(place.sextant.store, SCOPE) == why
        assert await found(place, "worse") == {"docs/bad.md"}
        embedder.seen.clear()
        assert (await place.sextant.embed_waiting(SCOPE)).failed == why
        assert len(embedder.seen) == 1
        better = {**tree, "bad.md": "# Bad\n\nGood words.\n"}
        report = await place.take_in(better)
        assert await read_failures(place.sextant.store, SCOPE) == {}
        assert not await waiting(place)


async def test_an_embedder_that_is_down_stops_the_vectors_and_not_the_words() -> None:
    async with watched() as (place, embedder):
        embedder.is_down = True
        report = await place.take_in(TREE)
        assert (report.added, report.refused) == (3, {})
        assert report.vectors is not None
        assert "Nobody is there." in report.vectors.stopped
        assert await waiting(place) == IDS
        embedder.is_down = False
        assert (await place.ingest()).vectors == Vectors(3, 0, 3)
        assert await place.dump() == await fresh(TREE)


async def test_who_is_cancelled_keeps_every_document_that_was_whole() -> None:
    many = {f"{at:03}.md": f"# Page {at}\n\nIt is number {at}.\n" for at in range(50)}
    async with watched(most=40) as (place, embedder):
        lay_out(place.docs, many)
        running = asyncio.create_task(place.ingest())
        await embedder.is_stuck.wait()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        assert len(await waiting(place)) == 50 - 32
        embedder.most = None
        await place.ingest()
        assert len(embedder.seen) == len(set(embedder.seen)) == 50
        assert await place.dump() == await fresh(many)


async def test_what_a_stopped_run_tells_last_is_what_status_says() -> None:
    long = "# Long\n\n" + "\n\n".join(f"## Part {at}\n\n{FILLER}" for at in range(60))
    async with watched(most=40) as (place, embedder):
        lay_out(place.docs, {"long.md": long})
        left: list[int] = []

        def hear(report: Report) -> None:
            if vectors := report.vectors:
                left.append(vectors.left)

        running = asyncio.create_task(
            place.sextant.ingest(SCOPE, [str(place.docs)], Options(), hear)
        )
        await embedder.is_stuck.wait()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        status = await place.sextant.store.admin.status(SCOPE)
        assert left[-2] < left[-1] == status.unembedded_chunks


async def test_linking_anew_keeps_vectors_and_embeds_nothing() -> None:
    before = {"a.md": "# A\n\nThe dock crane is down, and nobody knows why.\n"}
    after = {**before, **TREE, "c.md": "# Dock Crane\n\nHeavy.\n"}
    async with watched() as (place, embedder):
        await place.take_in(before)
        assert not (await units(place))["docs/a.md"].chunks[0].entity_ids
        await place.take_in(after)
        assert (await units(place))["docs/a.md"].chunks[0].entity_ids
        assert not await waiting(place)
        assert len(embedder.seen) == len(set(embedder.seen)) == 5


async def test_a_document_of_which_little_changed_never_loses_its_vectors() -> None:
    sections = [f"## Part {at}\n\n{FILLER}\n\n" for at in range(6)]
    async with watched() as (place, embedder):
        await place.take_in({"a.md": "# A\n\n" + "".join(sections)})
        embedder.seen.clear()
        sections[2] = f"## Part 2\n\n{FILLER} something else\n\n"
        await place.take_in({"a.md": "# A\n\n" + "".join(sections)}, WORDS_ONLY)
        assert not await waiting(place)
        assert [("something else" in text) for text in embedder.seen] == [True]


async def test_what_changes_while_it_is_embedded_gets_no_vector_of_what_it_was() -> None:
    async with watched(most=0) as (place, embedder):
        await place.take_in(TREE, WORDS_ONLY)
        running = asyncio.create_task(place.sextant.embed_waiting(SCOPE))
        await embedder.is_stuck.wait()
        other = {**TREE, "queue.md": "# Harbor Queue\n\nIt was filled in.\n"}
        beside = with_embedder(place.sextant, Watched())
        lay_out(place.docs, other)
        await beside.ingest(SCOPE, [str(place.docs)], WORDS_ONLY)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        embedder.most = None
        await place.sextant.embed_waiting(SCOPE)
        assert await place.dump() == await fresh(other)


async def test_two_who_embed_at_once_embed_every_text_once() -> None:
    many = {f"{at:03}.md": f"# Page {at}\n\nIt is number {at}.\n" for at in range(40)}
    async with watched() as (place, embedder):
        await place.take_in(many, WORDS_ONLY)
        other = replace(place.sextant)
        await asyncio.gather(place.sextant.embed_waiting(SCOPE), other.embed_waiting(SCOPE))
        assert len(embedder.seen) == len(set(embedder.seen)) == 40
        assert await place.dump() == await fresh(many)


async def test_vectors_link_nothing_anew() -> None:
    async with workplace() as place:
        await place.take_in(TREE, WORDS_ONLY)
        await place.sextant.embed_waiting(SCOPE)
        records = place.sextant.store.records
        settled = (await records.counters(SCOPE, ["ingest.settled"]))["ingest.settled"]
        assert settled == await place.commit()
