"""Which rules are proposed for documents that were seen."""

from __future__ import annotations

from datetime import UTC, datetime

from sextant.ingest.shaping.rules import Ruling
from sextant.ingest.shaping.shape import SOURCE
from sextant.ingest.shaping.suggested_rules import suggested_rules
from sextant.settings import Rule
from sextant.types import Document


def seen(*paths: str, source: str = "docs") -> list[Document]:
    return [Document(f"{source}/{path}", metadata={SOURCE: source}) for path in paths]


def test_a_folder_and_files_of_one_name_get_a_rule_with_what_it_covers() -> None:
    documents = seen(
        *("guide/a.md", "guide/b.md", "proposals/a.md", "proposals/deep/b.md"),
        *("history/changelog-1.0.rst", "history/changelog-2.0.rst", "CHANGES[1].txt"),
        *("ops/upgrading/1.0-2.0.md", "ops/upgrading/2.0-3.0.md", "ops/upgrading/overview.md"),
    )
    found = {rule.match: (rule.documents, rule.source_type) for rule in suggested_rules(documents)}
    assert found == {
        "proposals/**": (2, "proposal"),
        "history/changelog*": (2, "changelog"),
        "ops/upgrading/*[0-9]*": (2, "upgrade-note"),
    }


def test_a_rule_that_is_pasted_holds_for_what_it_was_proposed_for() -> None:
    paths = (
        "CHANGELOG.md",
        "blog/a[1].md",
        "1.0/a.md",
        "2.0/a.md",
        "old*/x.md",
        "old/x.md",
        "a.md",
    )
    documents = seen(*paths)
    proposed = suggested_rules(documents)
    ruling = Ruling(tuple(Rule(one.match, reputation=one.reputation) for one in proposed))
    lower = {one.id for one in documents if ruling.marks(one.id).reputation < 0.5}
    assert lower == {
        *("docs/CHANGELOG.md", "docs/blog/a[1].md", "docs/1.0/a.md", "docs/2.0/a.md"),
        "docs/old/x.md",
    }
    assert {one.match for one in proposed} == {
        *("CHANGELOG.md", "blog/**", "1.0/**", "2.0/**", "old/**")
    }


def test_a_source_that_is_called_so_gets_a_rule_for_all_of_it() -> None:
    (rule,) = suggested_rules(seen("a.md", "b/c.md", source="archive"))
    assert (rule.match, rule.documents, rule.reputation) == ("archive/**", 2, 0.2)
    (site,) = suggested_rules([Document("https://acme.example/blog/a", metadata={SOURCE: "acme"})])
    assert site.match == "blog/**"


def test_dates_and_authors_are_told_where_they_were_seen() -> None:
    def page(name: str, year: int, authors: str) -> Document:
        metadata = {SOURCE: "docs", "Authors": authors}
        return Document(
            f"docs/rfcs/{name}.md", created=datetime(year, 5, 1, tzinfo=UTC), metadata=metadata
        )

    (rule,) = suggested_rules([page("a", 2021, "ann, bo"), page("b", 2019, "bo"), *seen("c.md")])
    assert rule.written == (datetime(2019, 5, 1, tzinfo=UTC), datetime(2021, 5, 1, tzinfo=UTC))
    assert rule.authors == ("bo", "ann")


def test_what_a_rule_rates_already_gets_no_other() -> None:
    rated = Document("docs/CHANGELOG.md", reputation=0.4, metadata={SOURCE: "docs"})
    assert suggested_rules([rated]) == []
