"""A pipeline over a KnowledgeStore of somebody else, which has the common tools and no more."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sextant.ask.question import Question
from sextant.build import build_pipeline
from sextant.errors import InvalidFilter, PeerError, PeerRefused
from sextant.links.entries.find import keywords_in
from sextant.query import AllOf, AnyOf, DocumentsAny, Not, Query, SourceTypes, TagsAny, TimeRange
from sextant.types import Preferences, Ranked, Scope
from tests.links.entry_store import (
    MODELS_TOKEN,
    Peered,
    entry,
    pipeline_over,
    running_store,
    with_store,
)

OWNER = "Who owns Harbor Queue?"
SPELLINGS = ["pascal", "wrapped"]


def ids(ranked: Ranked) -> list[str]:
    return [hit.passage.chunk.id for hit in ranked.hits]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_question_is_ranked_by_the_common_tools_alone(tmp_path: Path, spelling: str) -> None:
    async def work(one: Peered) -> None:
        ranked = await one.pipeline.search(Scope(), OWNER)
        best = ranked.hits[0].passage
        assert best.chunk.id == "queue"
        assert best.chunk.text == "Harbor Queue is owned by Team Y."
        assert (best.document.id, best.document.title) == ("queue.md", "Harbor Queue")
        assert best.document.modified == datetime(2025, 1, 1, tzinfo=UTC)
        assert set(ids(ranked)) <= {"queue", "old", "new", "lunch"}
        assert ranked.hits[0].legs.keyword
        assert ranked.hits[0].legs.vector

    with_store(tmp_path, work, spelling)


def test_both_ways_of_finding_are_merged_without_doubles(tmp_path: Path) -> None:
    async def work(one: Peered) -> None:
        found = ids(await one.pipeline.search(Scope(), Question(OWNER, k=50)))
        assert len(found) == len(set(found)) > 2

    with_store(tmp_path, work)


def test_without_a_vector_words_alone_find(tmp_path: Path) -> None:
    async def work(one: Peered) -> None:
        far = one.pipeline.means.store
        (only,) = (await far.index.search(Scope(), Query("Harbor Queue", k=2))).matches
        assert only.vector is None
        assert only.keyword

    with_store(tmp_path, work)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Who owns Harbor Queue?", ["owns", "Harbor", "Queue"]),
        ("What is the SLA of v2.1 at HQ?", ["What", "SLA", "v2.1", "HQ"]),
        ("who is it", ["who", "is", "it"]),
    ],
)
def test_a_store_is_asked_for_the_words_that_a_question_is_about(
    text: str, kept: list[str]
) -> None:
    assert keywords_in(text) == kept


def test_entries_are_read_by_their_ids(tmp_path: Path) -> None:
    async def work(one: Peered) -> None:
        read = await one.pipeline.means.store.truth.passages(Scope(), ["queue", "nowhere"])
        assert list(read) == ["queue"]

    with_store(tmp_path, work)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_tenants_and_personas_are_named_in_every_call(tmp_path: Path, spelling: str) -> None:
    async def work(one: Peered) -> None:
        search = one.pipeline.search
        everything = Question("Harbor Queue", k=50)
        assert ids(await search(Scope("other"), everything)) == ["theirs"]
        assert ids(await search(Scope("nobody"), everything)) == []
        assert "plan" not in ids(await search(Scope(), everything))
        as_sre = Scope(personas=frozenset({"sre", "finance"}))
        assert "plan" in ids(await search(as_sre, everything))

    with_store(tmp_path, work, spelling)


def test_the_timestamp_of_an_entry_counts_for_recency(tmp_path: Path) -> None:
    async def work(one: Peered) -> None:
        fresh = Question(
            "Who repaired the crane of Harbor Queue?",
            weights=Preferences(relevancy=0, recency=1),
            k=50,
        )
        ranked = await one.pipeline.search(Scope(), fresh)
        scores = {hit.passage.chunk.id: hit.scores.recency for hit in ranked.hits}
        assert scores["new"] == 1.0
        assert scores["old"] < 0.001 < scores["queue"]

    with_store(tmp_path, work)


def test_filters_are_told_to_the_store_or_checked_here(tmp_path: Path) -> None:
    async def work(one: Peered) -> None:
        async def found(tree: object) -> set[str]:
            question = Question("Harbor Queue Lunch", filter=tree, k=50)  # type: ignore[arg-type]
            return set(ids(await one.pipeline.search(Scope(), question)))

        assert await found(SourceTypes(("menu",))) == {"lunch"}
        assert await found(TagsAny(("own",))) == {"queue"}
        late = TimeRange(datetime(2030, 1, 1, tzinfo=UTC), None, "modified")
        assert await found(late) == set()
        assert await found(DocumentsAny(("old.md",))) == {"old"}
        either = AnyOf((SourceTypes(("menu",)), DocumentsAny(("old.md",))))
        assert await found(either) == {"lunch", "old"}
        assert "lunch" not in await found(AllOf((Not(SourceTypes(("menu",))),)))
        with pytest.raises(InvalidFilter, match="by tags"):
            await found(Not(TagsAny(("own",))))

    with_store(tmp_path, work)


def test_a_store_that_takes_no_filters_is_not_asked_for_any(tmp_path: Path) -> None:
    async def work(one: Peered) -> None:
        with pytest.raises(InvalidFilter, match="takes no filters"):
            await one.pipeline.search(Scope(), Question("x", filter=SourceTypes(("menu",))))

    with_store(tmp_path, work, "wrapped")


def test_an_entry_that_says_it_is_of_another_tenant_is_refused(tmp_path: Path) -> None:
    wrong = entry("wrong", "Harbor Queue is elsewhere.")
    wrong["AssociatedArtifact"]["TenantId"] = "other"
    wrong["PersonaKnowledgeEntry"] = {"TenantId": "other"}

    async def work(one: Peered) -> None:
        with pytest.raises(PeerError, match="another tenant"):
            await one.pipeline.search(Scope(), "Harbor Queue")

    with_store(tmp_path, work, entries=[wrong])


def test_odd_values_are_taken_for_what_they_are(tmp_path: Path) -> None:
    odd = entry("odd", "Harbor Queue is odd.", reputation=7)
    odd |= {"Timestamp": "yesterday", "Headings": "none", "EntityIds": [5, "a"]}
    odd["AssociatedArtifact"] |= {"LastModifiedDate": 12, "Title": None}
    blank = entry("blank", "Harbor Queue") | {"ContentSummary": " "}

    async def work(one: Peered) -> None:
        ranked = await one.pipeline.search(Scope(), Question("Harbor Queue", k=50))
        passages = {hit.passage.chunk.id: hit.passage for hit in ranked.hits}
        document = passages["odd"].document
        assert (document.reputation, document.modified, document.title) == (1.0, None, "")
        assert passages["odd"].chunk.entity_ids == ("a",)
        assert "blank" not in passages

    with_store(tmp_path, work, entries=[odd, blank])


def test_each_server_gets_its_own_token_and_no_other(tmp_path: Path) -> None:
    async def run(address: str) -> None:
        async with pipeline_over(tmp_path, address) as one:
            assert (await one.pipeline.search(Scope(), OWNER)).hits
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("SEXTANT_KNOWLEDGE_STORE_TOKEN", MODELS_TOKEN)
                async with await build_pipeline(one.settings) as other:
                    with pytest.raises(PeerRefused, match=r"does not let this server in \(401\)"):
                        await other.search(Scope(), OWNER)

    with running_store(tmp_path) as address:
        asyncio.run(run(address))
