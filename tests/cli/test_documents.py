"""Looking at documents, deleting them, and taking everything out again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import SETTINGS, asked, sextant, told
from tests.cli.knowledge import watched
from tests.ingest.folders import Tree, lay_out

PAGES: Tree = {
    "a.md": "---\ntitle: Service A [x]\n---\n"
    "# Service A\n\n## Use\n\nService A depends on Harbor Queue.\n",
    "queue.md": "# Harbor Queue\n\nHarbor Queue is a queue owned by Team Y.\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two pages that were taken in, to stand in."""
    (tmp_path / "sextant.toml").write_text(SETTINGS)
    lay_out(tmp_path / "docs", PAGES)
    monkeypatch.chdir(tmp_path)
    told("ingest", "docs", "--tag", "wiki")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_documents_are_listed_page_by_page() -> None:
    first, second = told("documents", "list")
    assert (first["id"], second["id"]) == ("docs/a.md", "docs/queue.md")
    assert first["modified"].startswith("2023-11-14")
    assert told("documents", "list", "--limit", "1") == [first]
    assert told("documents", "list", "--after", "docs/a.md") == [second]
    shown = asked("documents", "list").stdout
    assert "Service A [x]" in shown
    assert "2023-11-14" in shown
    assert "There are no documents" in asked("documents", "list", "--tenant", "x").stdout


@pytest.mark.usefixtures("folder")
def test_a_document_is_shown_with_its_spans_and_what_it_says() -> None:
    unit = told("documents", "show", "docs/a.md")
    assert unit["document"]["title"] == "Service A [x]"
    (chunk,) = unit["chunks"]
    text = str(PAGES["a.md"])
    assert chunk["text"] == text[chunk["start"] : chunk["end"]]
    assert chunk["headings"] == ["Service A", "Use"]
    assert "depends_on" in {one["kind"] for one in unit["relations"]}
    shown = " ".join(asked("documents", "show", "docs/a.md").stdout.split())
    assert f"docs/a.md#c0 [{chunk['start']}:{chunk['end']}] Service A > Use" in shown
    assert "depends_on→ harbor-queue" in shown
    assert "owner operator" in shown
    missing = asked("documents", "show", "docs/b.md")
    assert missing.exit_code == 1
    assert "There is no document 'docs/b.md'" in missing.stderr


@pytest.mark.usefixtures("folder")
def test_a_deleted_document_is_gone_with_all_it_brought() -> None:
    assert told("documents", "delete", "docs/queue.md") == {"removed": 1, "missing": 0}
    again = asked("documents", "delete", "docs/queue.md", "--json")
    assert again.exit_code == 1
    assert json.loads(again.stdout) == {"removed": 0, "missing": 1}
    assert [one["id"] for one in told("documents", "list")] == ["docs/a.md"]
    assert told("entities", "find", "Team Y") == []


def test_what_was_exported_can_be_taken_in_elsewhere_and_exported_again(folder: Path) -> None:
    shown = asked("export", "one.json", "--vectors")
    assert shown.exit_code == 0
    assert "2 chunks" in shown.stdout
    taken = asked("export", "one.json")
    assert taken.exit_code == 1
    assert "one.json exists already" in taken.stderr
    report = told("ingest", "one.json", "--tenant", "other")
    assert not report["notes"]
    assert asked("export", "two.json", "--vectors", "--tenant", "other").exit_code == 0
    one, two = (json.loads((folder / name).read_text()) for name in ("one.json", "two.json"))
    assert set(one) == {"entities", "relations", "chunks"}
    for chunk in (*one["chunks"], *two["chunks"]):
        assert len(chunk.pop("contentVector")) == 16
    for kind in one:
        assert sorted(one[kind], key=str) == sorted(two[kind], key=str)


def test_piped_lines_are_whole_and_can_be_cut_at_their_tabs(folder: Path) -> None:
    long = f"{'a-very-long-name-' * 8}.md"
    lay_out(folder / "docs", {long: f"# {'Title ' * 30}\n\nService B is here.\n"})
    told("ingest", "docs")
    lines = sextant(folder, "documents", "list", COLUMNS="40").stdout.splitlines()
    ids = [line.split("\t")[0] for line in lines]
    assert ids == [f"docs/{name}" for name in (long, "a.md", "queue.md")]
    assert ("Title " * 30).strip() in lines[0]
    assert "docs/a.md\tService A [x]\t" in lines[1]
    found = asked("entities", "find", "harbor queue").stdout.splitlines()
    assert found[0].startswith("harbor-queue\tHarbor Queue\tqueue\t")
    shown = watched("documents", "list")
    assert shown.splitlines()[0].split() == ["id", "title", "type", "modified", "tags"]


@pytest.mark.usefixtures("folder")
def test_a_page_that_is_not_the_last_says_how_to_go_on() -> None:
    first = asked("documents", "list", "--limit", "1")
    assert first.stdout.startswith("docs/a.md\t")
    assert "There are more: --after docs/a.md" in first.stderr
    for whole in (("--limit", "2"), ("--limit", "1", "--after", "docs/a.md")):
        assert asked("documents", "list", *whole).stderr == ""


@pytest.mark.usefixtures("folder")
def test_what_could_not_be_deleted_is_named() -> None:
    shown = asked("documents", "delete", "docs/a.md", "docs/none.md", "x")
    assert (shown.exit_code, shown.stdout) == (1, "Deleted 1; 2 did not exist.\n")
    assert "There is no document 'docs/none.md'." in shown.stderr
    assert "There is no document 'x'." in shown.stderr
    assert "docs/a.md" not in shown.stderr


def test_documents_are_handed_over_and_the_audit_log_knows(folder: Path) -> None:
    assert told("documents", "hand-over", "operator", "key:1") == {"handedOver": 2}
    assert told("documents", "show", "docs/a.md")["document"]["owner"] == "key:1"
    (log,) = folder.rglob("audit.jsonl")
    line = json.loads(log.read_text().splitlines()[-1])
    assert line["verb"] == "hand over documents"
    assert (line["door"], line["caller"]) == ("cli", "operator")
    assert line["subject"] == "operator to key:1"
    again = asked("documents", "hand-over", "operator", "key:1")
    assert again.exit_code == 1
    assert "operator owns no documents in the tenant default." in again.stderr
