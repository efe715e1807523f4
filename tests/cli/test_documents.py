"""Looking at documents, deleting them, and taking everything out again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import SETTINGS, asked, told
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
    assert list(report["notes"]) == ["2 foreign vectors were left out; texts are embedded here."]
    assert asked("export", "two.json", "--vectors", "--tenant", "other").exit_code == 0
    one, two = (json.loads((folder / name).read_text()) for name in ("one.json", "two.json"))
    assert set(one) == {"entities", "relations", "chunks"}
    for chunk in (*one["chunks"], *two["chunks"]):
        assert len(chunk.pop("contentVector")) == 16
    for kind in one:
        assert sorted(one[kind], key=str) == sorted(two[kind], key=str)
