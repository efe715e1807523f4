"""What names and edges add up to, and how far a walk goes."""

from __future__ import annotations

from pathlib import Path

from sextant.ports import Store
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.checks import web_fields
from sextant.testing.store_suite.opening import Opened
from sextant.testing.store_suite.samples import AUDITOR, SCOPE
from sextant.types import (
    Chunk,
    Direction,
    Document,
    Entity,
    NameMode,
    Put,
    Reach,
    Relation,
    Walk,
)


class GraphPromises(Opened):
    """What names and edges add up to, and how far a walk goes."""

    def test_contributions_add_up_to_edges(self, tmp_path: Path) -> None:
        """Confidence is the highest, weight the sum; each persona adds up what it sees."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy(), samples.secret()])
            walk = Walk(frozenset({"owned_by"}), Direction.OUT)
            (link,) = (await store.graph.neighbours(SCOPE, ["a"], walk)).links
            assert link.relation == Relation(
                "a", "y", "owned_by", 0.8, 3.0, ("policy#c1", "runbook#c1"), 2
            )
            (link,) = (await store.graph.neighbours(AUDITOR, ["a"], walk)).links
            assert (link.relation.confidence, link.relation.weight, link.relation.support) == (
                1.0,
                8.0,
                3,
            )

        self.with_store(tmp_path, task)

    def test_a_walk_follows_direction_kind_and_hops(self, tmp_path: Path) -> None:
        """Each edge is crossed once, at its nearest hop."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])

            async def ends(*ids: str, **how: object) -> list[tuple[str, str, int]]:
                links = (await store.graph.neighbours(SCOPE, ids, Walk(**how))).links  # type: ignore[arg-type]
                return [(link.relation.source, link.relation.target, link.hop) for link in links]

            assert await ends("x", hops=1) == [("x", "a", 1)]
            assert await ends("x", hops=3) == [("x", "a", 1), ("a", "y", 2), ("y", "z", 3)]
            assert await ends("a", direction=Direction.IN) == [("x", "a", 1)]
            assert await ends("a", direction=Direction.OUT) == [("a", "y", 1)]
            assert await ends("a", direction="out") == [("a", "y", 1)]
            assert await ends("a", kinds=frozenset({"depends_on"})) == [("x", "a", 1)]
            assert await ends("a", kinds=frozenset({"nothing"})) == []
            assert await ends("nobody") == []

        self.with_store(tmp_path, task)

    def test_hubs_are_capped_to_their_best_edges(self, tmp_path: Path) -> None:
        """The strongest stay, ties by id, and the answer says who was capped."""

        async def task(store: Store) -> None:
            spokes = [Relation("hub", f"n{at:02d}", "calls", 0.5 + at % 3 / 10) for at in range(30)]
            await store.truth.write(SCOPE, [Put(Document("d"), relations=tuple(spokes))])
            found = await store.graph.neighbours(SCOPE, ["hub"], Walk(per_node=4))
            assert [link.relation.target for link in found.links] == ["n02", "n05", "n08", "n11"]
            assert found.capped == ("hub",)
            cut = await store.graph.neighbours(SCOPE, ["hub"], Walk(limit=3))
            assert (len(cut.links), cut.truncated, cut.capped) == (3, True, ())

        self.with_store(tmp_path, task)

    def test_a_web_tells_who_is_mentioned_where(self, tmp_path: Path) -> None:
        """Hop by hop from chunks and entities; each persona counts what it sees."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy(), samples.secret()])
            chunks, seeds, where = web_fields(
                await store.graph.web(SCOPE, [], ["x", "nobody"], Reach(hops=1))
            )
            assert (chunks, seeds) == (["runbook#c2"], {"x": (1, 0)})
            assert where == [("runbook#c2", "(3, 0)", False), ("runbook#c2", "x", False)]
            chunks, seeds, _ = web_fields(await store.graph.web(SCOPE, [], ["x", "a"], Reach()))
            assert chunks == ["policy#c1", "runbook#c1", "runbook#c2"]
            assert seeds == {"a": (3, 0), "x": (1, 0)}
            assert web_fields(await store.graph.web(AUDITOR, [], ["a"], Reach(hops=0))) == (
                [],
                {"a": (4, 0)},
                [],
            )
            chunks, _, _ = web_fields(
                await store.graph.web(SCOPE, ["policy#c1", "secret#c1"], [], Reach())
            )
            assert chunks == ["policy#c1", "runbook#c1", "runbook#c2"]

        self.with_store(tmp_path, task)

    def test_a_web_follows_a_hub_only_to_what_is_about_it(self, tmp_path: Path) -> None:
        """An edge of the named kind says what a document is about; the limit holds in any case."""

        async def task(store: Store) -> None:
            page = Put(
                Document("page"),
                (Chunk("page#1", "The hub.", entity_ids=("hub",)), Chunk("page#2", "Another.")),
                relations=(Relation("doc:page", "hub", "about"),),
            )
            notes = [
                Put(
                    Document(f"note{at}"),
                    (Chunk(f"note{at}#1", "See the hub.", entity_ids=("hub", f"n{at}")),),
                )
                for at in range(6)
            ]
            await store.truth.write(SCOPE, [page, *notes])

            async def held(**how: int) -> list[str]:
                web = await store.graph.web(SCOPE, [], ["n3", "hub"], Reach(**how))  # type: ignore[arg-type]
                return sorted(web.chunk_ids)

            every = sorted(["page#1", *(f"note{at}#1" for at in range(6))])
            assert await held() == every
            assert await held(per_entity=3) == ["note3#1", "page#1"]
            assert await held(limit=3) == ["page#1"]
            _, seeds, where = web_fields(
                await store.graph.web(SCOPE, ["page#2"], ["hub"], Reach(per_entity=3))
            )
            assert seeds == {"hub": (7, 1)}
            assert where == [("page#1", "hub", True)]
            _, seeds, _ = web_fields(
                await store.graph.web(SCOPE, [], ["hub"], Reach(about="calls"))
            )
            assert seeds == {"hub": (7, 0)}

        self.with_store(tmp_path, task)

    def test_names_are_found_exactly_by_beginning_by_word_and_nearly(self, tmp_path: Path) -> None:
        """Case, spacing and punctuation do not count; aliases do."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])

            async def look(name: str, mode: NameMode) -> list[str]:
                found = (await store.graph.lookup(SCOPE, [name], mode))[name]
                return [match.entity.id for match in found]

            assert await look("service-a", NameMode.EXACT) == ["a"]
            assert await look("SVCA", NameMode.EXACT) == ["a"]
            assert await look("the a service", NameMode.EXACT) == ["a"]
            assert await look("service", NameMode.EXACT) == []
            assert await look("serv", NameMode.PREFIX) == ["a"]
            assert await look("x", NameMode.WORD) == ["x"]
            assert await look("A-Service", NameMode.WORD) == ["a"]
            assert await look("service", NameMode.WORD) == ["a"]
            assert await look("serv", NameMode.WORD) == []
            assert await look("Proces X", NameMode.FUZZY) == ["x"]
            assert await look("zebra", NameMode.FUZZY) == []
            assert await look("", NameMode.PREFIX) == []

        self.with_store(tmp_path, task)

    def test_the_most_reputable_document_names_an_entity(self, tmp_path: Path) -> None:
        """Other names become aliases, and a persona hears only whom it may hear."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.policy(), samples.runbook(), samples.secret()])
            entity = (await store.graph.entities(SCOPE, ["a", "nobody"]))["a"]
            assert entity == Entity(
                "a", "Service A", "service", frozenset({"SvcA", "The A service"}), {"tier": "1"}
            )
            assert (await store.graph.entities(AUDITOR, ["a"]))["a"].name == "Secret A"
            assert not await store.graph.entities(SCOPE, ["q"])

        self.with_store(tmp_path, task)
