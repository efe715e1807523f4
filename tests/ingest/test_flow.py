"""The whole line over real files: what is stored depends on what is there, not on the way."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sextant.errors import InvalidInput, Unreachable
from sextant.ingest.flow import Options
from sextant.ingest.report import Report
from sextant.limits import Limits
from sextant.settings import Rule
from sextant.types import NameMode, Scope, Walk
from tests.ingest.folders import SCOPE, Tree, Workplace, fresh, lay_out, only, workplace

A = "# Service A\n\nService A depends on Harbor Queue. See [the queue](sub/queue.md).\n"
QUEUE = "# Harbor Queue\n\nHarbor Queue (HQ) is a queue owned by Team Y.\n"
TEAM = "# Team Y\n\nTeam Y owns escalation for Service A and HQ.\n"
ROWS = (
    '{"title": "First", "text": "Service A is slow."}\n{"title": "Second", "text": "HQ is up."}\n'
)
TREE: Tree = {"a.md": A, "sub/queue.md": QUEUE, "teams/y.md": TEAM, "rows.jsonl": ROWS}
SYNC = Options(sync=True)

PAGES = ("a.md", "b.md", "sub/c.md", "sub/d.txt")
TEXTS = (A, QUEUE, TEAM, "service a and the harbor queue are one.\n", "Nothing is named.\n")
contents = st.lists(st.sampled_from(TEXTS), min_size=1, max_size=2).map("\n".join)
records = st.sampled_from((ROWS, ROWS.splitlines()[1] + "\n"))
trees = st.fixed_dictionaries({}, optional={**dict.fromkeys(PAGES, contents), "e.jsonl": records})
few = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def play(task: Coroutine[Any, Any, None]) -> None:
    asyncio.run(task)


@few
@given(trees)
def test_ingesting_twice_is_ingesting_once(tree: Tree) -> None:
    async def task() -> None:
        async with workplace() as place:
            first = await place.take_in(tree)
            before, commit = await place.dump(), await place.commit()
            again = await place.ingest()
            assert (again.written, again.removed, again.unchanged) == (0, 0, first.written)
            assert (await place.dump(), await place.commit()) == (before, commit)

    play(task())


@few
@given(trees, st.randoms(use_true_random=False))
def test_any_order_of_documents_ends_the_same(tree: Tree, random: Any) -> None:
    async def task() -> None:
        order = random.sample(sorted(tree), len(tree))
        async with workplace() as place:
            for count in range(1, len(order) + 1):
                await place.take_in(only(tree, order[:count]))
            assert await place.dump() == await fresh(tree)

    play(task())


@few
@given(trees, trees, trees)
def test_a_sync_after_any_changes_equals_a_fresh_ingest(one: Tree, two: Tree, three: Tree) -> None:
    async def task() -> None:
        async with workplace() as place:
            for tree in (one, two, three):
                report = await place.take_in(tree, SYNC)
                assert report.done == report.found
            assert await place.dump() == await fresh(three)
            assert not await place.sextant.store.admin.check(SCOPE)

    play(task())


@few
@given(trees, st.sampled_from(PAGES), contents)
def test_an_update_is_a_delete_and_an_add(tree: Tree, name: str, content: str) -> None:
    async def task() -> None:
        async with workplace() as updated, workplace() as replaced:
            for place in (updated, replaced):
                await place.take_in({**tree, name: "Old. HQ is a service, aka Dock.\n"})
            old = [one for one in await replaced.document_ids() if one.startswith(f"docs/{name}")]
            assert await replaced.sextant.remove(SCOPE, old) == len(old) == 1
            for place in (updated, replaced):
                await place.take_in({**tree, name: content})
            assert await updated.dump() == await replaced.dump()

    play(task())


def test_what_is_deleted_leaves_nothing_behind() -> None:
    async def task() -> None:
        async with workplace() as place:
            empty = await place.dump()
            await place.take_in(TREE)
            await place.sextant.remove(SCOPE, await place.document_ids())
            assert await place.dump() == empty
            await place.take_in(TREE)
            assert await place.dump() == await fresh(TREE)

    play(task())


def test_several_sources_under_one_name_are_one_source() -> None:
    async def task() -> None:
        async with workplace() as place:
            for part in ("a.md", "sub/queue.md", "teams/y.md", "rows.jsonl"):
                lay_out(place.home / "parts" / part, only(TREE, [part]))
                await place.ingest(place.home / "parts" / part, options=Options(name="docs"))
            assert await place.dump() == await fresh(TREE)

    play(task())


def test_two_sources_of_one_name_are_refused_before_anything_is_read() -> None:
    async def task() -> None:
        async with workplace() as place:
            for home in ("one", "two"):
                lay_out(place.home / home / "docs", {"a.md": A})
            both = [place.home / home / "docs" for home in ("one", "two")]
            with pytest.raises(InvalidInput, match="docs"):
                await place.ingest(*both, options=SYNC)
            assert not await place.document_ids()

    play(task())


def test_a_renamed_file_is_another_document() -> None:
    async def task() -> None:
        async with workplace() as place:
            await place.take_in(TREE)
            moved = {name.replace("a.md", "z.md"): text for name, text in TREE.items()}
            report = await place.take_in(moved, SYNC)
            assert (report.added, report.removed, report.unchanged) == (1, 1, 4)
            assert await place.dump() == await fresh(moved)

    play(task())


def test_fewer_records_in_a_file_remove_theirs_without_a_sync() -> None:
    async def task() -> None:
        async with workplace() as place:
            await place.take_in(TREE)
            shorter = {**TREE, "rows.jsonl": ROWS.splitlines()[0] + "\n"}
            report = await place.take_in(shorter)
            assert report.removed == 1
            assert await place.dump() == await fresh(shorter)

    play(task())


def test_what_cannot_be_read_keeps_its_old_version_and_its_neighbours_come_in() -> None:
    async def task() -> None:
        async with workplace() as place:
            await place.take_in({"a.md": A, "sub/queue.md": QUEUE})
            names = ["a.md", "sub/queue.md", "teams/y.md"]
            report = await place.take_in(
                {"a.md": b"\x00\x01\x02\xff" * 50, "sub/queue.md": QUEUE, "teams/y.md": TEAM}, SYNC
            )
            assert [(one.path, one.error.code) for one in report.failed] == [
                ("a.md", "broken_file")
            ]
            assert (report.added, report.removed) == (1, 0)
            assert await place.dump() == await fresh(only(TREE, names))

    play(task())


def test_what_the_store_refuses_keeps_its_old_version_and_its_names() -> None:
    async def task() -> None:
        long = "# Harbor Quay\n\nHarbor Quay is a queue.\n\n" + "One more word on it. " * 400
        names = ["a.md", "sub/queue.md", "teams/y.md"]
        async with workplace(limits=Limits(chunks=3)) as place:
            await place.take_in(only(TREE, names[:2]))
            changed = {**only(TREE, names), "sub/queue.md": long, "new.md": long}
            report = await place.take_in(changed, SYNC)
            refused = [(one.path, one.error.code) for one in report.failed]
            assert refused == [("new.md", "too_large"), ("sub/queue.md", "too_large")]
            assert (report.added, report.updated, report.done) == (1, 0, report.found)
            assert await place.dump() == await fresh(only(TREE, names))

    play(task())


def test_a_dry_run_counts_and_writes_nothing() -> None:
    async def task() -> None:
        async with workplace() as place:
            would = await place.take_in(TREE, Options(dry_run=True))
            assert (would.found, would.added, would.done) == (4, 5, 4)
            assert await place.document_ids() == []
            await place.take_in(TREE)
            before, commit = await place.dump(), await place.commit()
            changed = {**only(TREE, ["sub/queue.md", "teams/y.md"]), "a.md": A + "More.\n"}
            would = await place.take_in(changed, Options(dry_run=True, sync=True))
            assert (would.updated, would.removed, would.unchanged) == (1, 2, 2)
            assert (await place.dump(), await place.commit()) == (before, commit)
            did = await place.ingest(options=SYNC)
            assert (did.updated, did.removed, did.unchanged) == (1, 2, 2)

    play(task())


def test_a_folder_that_is_gone_is_an_error_and_deletes_nothing() -> None:
    async def task() -> None:
        async with workplace() as place:
            await place.take_in(TREE)
            before = await place.dump()
            shutil.rmtree(place.docs)
            with pytest.raises(Unreachable):
                await place.ingest(options=SYNC)
            assert await place.dump() == before

    play(task())


async def _after_trouble(place: Workplace, ignore_file: bytes) -> Report:
    """Sync once more after a sub-folder could not be listed."""
    ignore = place.docs / "sub" / ".sextantignore"
    ignore.mkdir() if not ignore_file else ignore.write_bytes(ignore_file)
    return await place.ingest(options=SYNC)


@pytest.mark.parametrize("ignore_file", [b"", b"x" * 2_000_000])
def test_a_sub_folder_that_cannot_be_listed_deletes_nothing(ignore_file: bytes) -> None:
    async def task() -> None:
        async with workplace() as place:
            await place.take_in(TREE)
            before = await place.dump()
            report = await _after_trouble(place, ignore_file)
            assert [one.path for one in report.failed] == ["sub/"]
            assert report.removed == 0
            assert await place.dump() == before

    play(task())


def test_an_archive_that_breaks_off_deletes_nothing() -> None:
    async def task() -> None:
        async with workplace() as place:
            lay_out(place.home / "pack", TREE)
            packed = shutil.make_archive(str(place.docs), "gztar", place.home / "pack")
            assert (await place.ingest(packed, options=SYNC)).written == 5
            before = await place.dump()
            whole = (place.home / "docs.tar.gz").read_bytes()
            for broken in (whole[: len(whole) // 2], b""):
                (place.home / "docs.tar.gz").write_bytes(broken)
                report = await place.ingest(packed, options=SYNC)
                assert report.removed == 0
                assert "./" in [one.path for one in report.failed]
                assert await place.dump() == before

    play(task())


def test_rules_and_options_mark_documents_and_a_changed_rule_reads_them_anew() -> None:
    async def task() -> None:
        runbooks = Rule("docs/sub/**", ("runbook",), ("sre",), "runbook", 0.9)
        drafts = Rule("*.md", ("page",), reputation=0.2)
        async with workplace(drafts, runbooks) as place:
            await place.take_in(TREE, Options(("asked",)))
            found = {one.id: one for one in await place.sextant.store.truth.documents(SCOPE)}
            queue, a, row = (found[f"docs/{n}"] for n in ("sub/queue.md", "a.md", "rows.jsonl#1"))
            assert queue.tags == {"asked", "page", "runbook"}
            assert queue.personas == {"sre"}
            assert (queue.source_type, queue.reputation) == ("runbook", 0.9)
            assert a.tags == {"asked", "page"}
            assert (a.personas, a.source_type, a.reputation) == (frozenset(), "markdown", 0.2)
            assert row.tags == {"asked"}
            assert row.reputation == 0.5
            ingest = replace(place.sextant.settings.ingest, rules=(drafts,))
            changed = replace(place.sextant.settings, ingest=ingest)
            other = Workplace(place.home, replace(place.sextant, settings=changed))
            report = await other.ingest(options=Options(("asked",)))
            assert (report.updated, report.unchanged) == (1, 4)
            assert await other.dump() == await fresh(TREE, drafts, options=Options(("asked",)))

    play(task())


def test_what_a_persona_may_not_see_is_found_under_no_name_and_by_no_search() -> None:
    async def task() -> None:
        async with workplace(Rule("docs/secret/**", personas=("sre",))) as place:
            secret = "# Vault Zeta\n\nService A depends on Vault Zeta, owned by Team Omega.\n"
            await place.take_in({**TREE, "secret/vault.md": secret})
            walk, sextant = Walk(), place.sextant
            for personas, expected in (("sre", True), ("hr sre", True), ("hr", False), ("", False)):
                scope = Scope(personas=frozenset(personas.split()))
                found = await sextant.search(scope, "vault zeta")
                ids = {hit.passage.document.id for hit in found.hits}
                assert ("docs/secret/vault.md" in ids) == expected
                names = ["Vault Zeta", "Team Omega"]
                for mode in NameMode:
                    matches = await sextant.lookup(scope, names, mode)
                    bearers = {one.entity.name for own in matches.values() for one in own}
                    assert (set(names) <= bearers) == expected
                    assert expected or bearers.isdisjoint(names)
                links = (await sextant.expand(scope, ["service-a"], walk)).links
                targets = {link.relation.target for link in links}
                assert ("vault-zeta" in targets) == expected
                assert ("docs/secret/vault.md" in await place.document_ids(scope)) == expected

    play(task())


def test_a_link_to_another_document_becomes_an_edge() -> None:
    async def task() -> None:
        links = "# Service A\n\n[q](sub/queue.md#top) [up](../out.md) [site](https://a.example/x)\n"
        async with workplace() as place:
            await place.take_in({"a.md": links, "sub/queue.md": QUEUE + "[back](../a.md)\n"})
            walk = Walk(frozenset({"links_to"}))
            found = (await place.sextant.expand(SCOPE, ["service-a", "harbor-queue"], walk)).links
            ends = {(link.relation.source, link.relation.target) for link in found}
            assert ends == {
                ("service-a", "doc:docs/sub/queue.md"),
                ("service-a", "doc:https://a.example/x"),
                ("harbor-queue", "doc:docs/a.md"),
            }
            about = Walk(frozenset({"about"}))
            (link,) = (await place.sextant.expand(SCOPE, ["doc:docs/sub/queue.md"], about)).links
            assert link.relation.target == "harbor-queue"

    play(task())


def test_the_report_adds_up_and_is_told_as_it_grows() -> None:
    async def task() -> None:
        async with workplace() as place:
            lay_out(place.docs, {**TREE, "c.bin": b"\x00\x01\xff" * 40, ".hidden.md": "no"})
            heard: list[tuple[int, int]] = []
            report = await place.sextant.ingest(
                SCOPE, [str(place.docs)], emit=lambda one: heard.append((one.done, one.written))
            )
            assert (report.found, report.done, report.added) == (6, 6, 5)
            assert heard[-1] == (6, 5)
            assert heard == sorted(heard)
            assert report.formats == {"markdown": 3, "jsonl": 1}
            assert [one.path for one in report.skipped] == [".hidden.md", "c.bin"]
            counts = await place.sextant.store.truth.counts(SCOPE)
            assert (counts.documents, counts.chunks) == (report.written, report.chunks)

    play(task())


def test_two_runs_at_once_end_as_one() -> None:
    async def task() -> None:
        async with workplace() as place:
            one, two = only(TREE, ["a.md", "rows.jsonl"]), only(TREE, ["sub/queue.md"])
            lay_out(place.home / "one", one)
            lay_out(place.home / "two", two)
            await asyncio.gather(*(place.ingest(place.home / name) for name in ("one", "two")))
            both = await place.dump()
        async with workplace() as place:
            lay_out(place.home / "one", one)
            lay_out(place.home / "two", two)
            await place.ingest(place.home / "two", place.home / "one")
            assert both == await place.dump()

    play(task())
