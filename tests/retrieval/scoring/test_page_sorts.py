"""What a page's path says of its worth, and for which questions."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from sextant.retrieval.rank import rank
from sextant.retrieval.retrieve import Candidate
from sextant.retrieval.scoring.page_sorts import OLDER, SORTS, deductions, path_of, sort_of
from sextant.retrieval.scoring.superseded import DEDUCTION, SOURCE
from sextant.retrieval.scoring.worth import worths
from sextant.settings import Rule
from sextant.types import Chunk, Document, Legs, Passage, Weights
from tests.ingest.folders import SCOPE, workplace

NOW = datetime(2026, 11, 15, tzinfo=UTC)
TODAY = "How do I drain the queue?"


def candidate(name: str, relevancy: float = 0.8, reputation: float = 0.5) -> Candidate:
    document = Document(name, reputation=reputation)
    passage = Passage(Chunk(f"{name}#c0", "The queue is drained by hand."), document, "v1")
    return Candidate(passage, relevancy, Legs())


@pytest.mark.parametrize(
    ("path", "sort"),
    [
        ("docs/proposals/drain.md", "proposal"),
        ("docs/rfcs/0012-drain.md", "proposal"),
        ("design-docs/drain.md", "proposal"),
        ("docs/CHANGELOG.md", "changelog"),
        ("docs/history/changelog-5.7.rst", "changelog"),
        ("docs/history/whatsnew-5.7.rst", "changelog"),
        ("project/CHANGES.txt", "changelog"),
        ("project/NEWS", "changelog"),
        ("docs/releases/2.4.md", "changelog"),
        ("docs/release-notes/may.md", "changelog"),
        ("docs/operator-manual/upgrading/2.4-2.5.md", "upgrade note"),
        ("docs/Guides/Migration-Guide-V5.md", "upgrade note"),
        ("site/blog/2024-05-drain.md", "blog post"),
        ("site/news/drain.md", "blog post"),
        ("docs/archive/drain.md", "archived page"),
        ("docs/legacy/drain.md", "archived page"),
        ("docs/user-guide/drain.md", ""),
        ("docs/upgrading/overview.md", ""),
        ("docs/commands/npm-deprecate.md", ""),
        ("docs/commands/version.md", ""),
        ("docs/release/process.md", ""),
        ("docs/old-faithful.md", ""),
        ("docs/news-feeds/setup.md", ""),
        ("docs/change-freeze.md", ""),
        ("docs/history-of-queues.md", ""),
        ("docs/migrations/k8s.md", ""),
    ],
)
def test_whole_folders_and_names_of_a_path_tell_the_sort(path: str, sort: str) -> None:
    found = sort_of(path)
    assert (found.name if found else "") == sort


def test_the_host_and_the_fragment_of_an_address_tell_nothing() -> None:
    assert path_of("https://old.example/blog/a") == "blog/a"
    assert path_of("https://blog.example") == ""
    assert path_of("docs/a.jsonl#blog/7") == "docs/a.jsonl"


def test_a_page_that_is_not_the_manual_stays_behind_it_and_the_ledger_says_why() -> None:
    found = [candidate("docs/CHANGELOG.md", 0.9), candidate("docs/guide.md")]
    manual, changes = rank(found, Weights(), NOW, question=TODAY)
    assert manual.passage.document.id == "docs/guide.md"
    assert changes.ledger.notes[-1] == "a changelog counts less than the manual: total times 0.8"
    points = sum(one.points for one in changes.ledger.shares)
    assert 0.8 * points == pytest.approx(changes.scores.total)
    assert not any("counts less" in note for note in manual.ledger.notes)
    worth = worths([one.passage.document for one in found], TODAY)
    assert worth == {"docs/CHANGELOG.md": pytest.approx(0.8), "docs/guide.md": 1.0}


def test_a_page_that_says_much_more_still_comes_first() -> None:
    found = [candidate("docs/CHANGELOG.md", 0.9), candidate("docs/guide.md", 0.5)]
    assert rank(found, Weights(), NOW, question=TODAY)[0].passage.document.id == "docs/CHANGELOG.md"


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("docs/CHANGELOG.md", "What is new in Harbor?"),
        ("docs/CHANGELOG.md", "What's new?"),
        ("docs/CHANGELOG.md", "Since which version can the queue be drained?"),
        ("docs/CHANGELOG.md", "Which bugs does 2.4 fix?"),
        ("docs/CHANGELOG.md", "When was drain added?"),
        ("docs/CHANGELOG.md", "Which options were removed?"),
        ("docs/CHANGELOG.md", "Was bringt Harbor 2.4?"),
        ("docs/upgrading/2.4-2.5.md", "What do I change to upgrade Harbor?"),
        ("docs/proposals/drain.md", "Why was drain designed so?"),
        ("docs/proposals/drain.md", "Which alternatives does the RFC name?"),
        ("docs/blog/drain.md", "What did the blog say about drain?"),
        ("docs/blog/drain.md", "What did we announce in 2024?"),
        ("docs/archive/drain.md", "How was it drained in the old days?"),
        ("docs/archive/drain.md", "How long did the former queue keep messages?"),
    ],
)
def test_a_question_about_that_sort_lowers_nothing(name: str, question: str) -> None:
    documents = [Document(name), Document("docs/guide.md")]
    assert deductions(documents, question) == {}
    assert list(deductions(documents, TODAY)) == [name]


def test_where_there_is_nothing_else_nothing_is_lowered() -> None:
    assert deductions([Document("site/blog/a.md"), Document("site/blog/b.md")], TODAY) == {}


def test_without_a_question_nothing_is_lowered() -> None:
    documents = [Document("docs/CHANGELOG.md"), Document("docs/1.0/a.md"), Document("docs/a.md")]
    assert deductions(documents, "") == {}
    assert set(worths(documents).values()) == {1.0}


@pytest.mark.parametrize(
    ("names", "older"),
    [
        (("docs/1.0/a.md", "docs/2.0/a.md"), {"docs/1.0/a.md"}),
        (("docs/v1.9/a.md", "docs/v1.10/a.md"), {"docs/v1.9/a.md"}),
        (("docs/1.x/a.md", "docs/2.x/a.md", "docs/2.1/a.md"), {"docs/1.x/a.md", "docs/2.1/a.md"}),
        (("docs/1.0/a.md", "docs/latest/a.md"), {"docs/1.0/a.md"}),
        (("docs/1.0/a.md", "docs/a.md"), {"docs/1.0/a.md"}),
        (("versioned_docs/version-2.0/a.md", "docs/a.md"), {"versioned_docs/version-2.0/a.md"}),
        (("docs/1.0/a.md", "docs/2.0/b.md"), set()),
        (("docs/1.0/a.md", "wiki/2.0/a.md"), set()),
        (("docs/2024/a.md", "docs/2025/a.md"), set()),
        (("docs/v1/a.md",), set()),
    ],
)
def test_a_version_counts_less_where_a_newer_one_of_the_page_is_there(
    names: tuple[str, ...], older: set[str]
) -> None:
    lowered = deductions([Document(name) for name in names], TODAY)
    assert set(lowered) == older
    assert {sort.name for sort in lowered.values()} <= {"older version"}
    assert deductions([Document(name) for name in names], "How was it done in 1.0?") == {}


@pytest.mark.parametrize(
    ("source", "owner", "reputation", "lowers"),
    [
        ("docs", "key:1", 0.5, True),
        ("docs", "key:1", 0.9, True),
        ("docs", "key:1", 0.2, False),
        ("docs", "key:2", 0.5, False),
        ("upload", "key:1", 0.5, False),
    ],
)
def test_a_newer_version_lowers_no_page_of_another_source_or_owner(
    source: str, owner: str, reputation: float, lowers: bool
) -> None:
    old = Document("docs/1.0/a.md", owner="key:1", metadata={SOURCE: "docs"})
    new = Document("docs/2.0/a.md", reputation=reputation, owner=owner, metadata={SOURCE: source})
    assert (old.id in deductions([old, new], TODAY)) is lowers


def test_every_sort_counts_less_than_the_manual_and_no_less_than_what_had_its_day() -> None:
    assert all(DEDUCTION <= sort.factor < 1.0 for sort in (*SORTS, OLDER))
    assert all(0.0 < sort.reputation < 0.5 for sort in (*SORTS, OLDER))


def test_what_had_its_day_is_not_lowered_twice() -> None:
    status = {"status": "archived"}
    document = Document("docs/archive/drain.md", metadata=status)
    passage = Passage(Chunk("a#c0", "The queue is drained by hand."), document, "v1")
    (hit,) = rank([Candidate(passage, 0.8, Legs())], Weights(), NOW, question=TODAY)
    points = sum(one.points for one in hit.ledger.shares)
    assert hit.scores.total == pytest.approx(DEDUCTION * points)
    assert hit.ledger.notes[-1] == "archived: total times 0.6"
    assert worths([document], TODAY) == {document.id: pytest.approx(0.3)}


@pytest.mark.parametrize("reputation", [0.1, 0.5, 0.9])
def test_what_a_rule_says_of_a_page_is_what_it_is_worth(reputation: float) -> None:
    text = "The queue is drained by hand.\n"
    pages = {"CHANGELOG.md": f"# Changes\n\n{text}", "guide.md": f"# Guide\n\n{text}"}

    async def task() -> None:
        async with workplace(Rule("CHANGELOG.md", reputation=reputation)) as place:
            await place.take_in(pages)
            hits = (await place.sextant.search(SCOPE, TODAY)).hits
            worth = {hit.passage.document.id: hit.scores.reputation for hit in hits}
            assert worth == {"docs/CHANGELOG.md": reputation, "docs/guide.md": 0.5}
            assert not any("counts less" in note for hit in hits for note in hit.ledger.notes)
            assert (await place.ingest()).unchanged == 2

    asyncio.run(task())


def test_a_search_lowers_what_no_rule_rates() -> None:
    text = "The queue is drained by hand.\n"
    pages = {"CHANGELOG.md": f"# Changes\n\n{text}", "zeal.md": f"# Zeal\n\n{text}"}

    async def task() -> None:
        async with workplace(Rule("*.md", tags=("page",))) as place:
            await place.take_in(pages)
            first, second = (await place.sextant.search(SCOPE, TODAY)).hits
            assert first.passage.document.id == "docs/zeal.md"
            assert any("a changelog counts less" in note for note in second.ledger.notes)
            for hit in (await place.sextant.search(SCOPE, "What is new about the queue?")).hits:
                assert not any("counts less" in note for note in hit.ledger.notes)

    asyncio.run(task())
