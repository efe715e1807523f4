"""Taking knowledge in from the command line."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest

from sextant.build import open_sextant
from tests.cli.commands import SETTINGS, asked, hear, sextant, started, told, without_progress
from tests.ingest.folders import SCOPE, Tree, dump, fresh, lay_out, settings_at

PAGES: Tree = {
    "a.md": "# Service A\n\nService A depends on Harbor Queue.\n",
    "queue.md": "# Harbor Queue\n\nHarbor Queue is a queue owned by Team Y.\n",
}
COMMANDS = (
    ("ingest",),
    ("documents",),
    ("documents", "list"),
    ("documents", "show"),
    ("documents", "delete"),
    ("entities",),
    ("entities", "find"),
    ("entities", "show"),
    ("entities", "alias"),
    ("entities", "merge"),
    ("entities", "split"),
    ("relations",),
    ("export",),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings and two pages in it, to stand in."""
    (tmp_path / "sextant.toml").write_text(SETTINGS)
    lay_out(tmp_path / "docs", PAGES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def kept(folder: Path) -> list[str]:
    """Return what the folder's store holds."""

    async def task() -> list[str]:
        async with await open_sextant(settings_at(folder / "kept")) as opened:
            assert not await opened.store.admin.check(SCOPE)
            return await dump(opened)

    return asyncio.run(task())


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help(command: tuple[str, ...]) -> None:
    shown = asked(*command, "--help")
    assert shown.exit_code == 0
    assert "Usage" in shown.stdout
    assert "Traceback" not in shown.output


def test_a_run_sums_up_and_the_next_one_has_nothing_to_do(folder: Path) -> None:
    first = sextant(folder, "ingest", "docs")
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("Took in 2 documents (2 new, 0 changed), 2 chunks; ")
    assert "0 unchanged, 0 removed" in first.stdout
    assert without_progress(first.stderr) == set()
    again = asked("ingest", "docs")
    assert (again.exit_code, without_progress(again.stderr)) == (0, set())
    assert "Took in 0 documents" in again.stdout
    assert "2 unchanged" in again.stdout
    assert kept(folder) == asyncio.run(fresh(PAGES))


def test_the_report_for_programs_has_every_count_and_reason(folder: Path) -> None:
    (folder / "docs" / "broken.md").write_bytes(b"\x00\x01\xff" * 50)
    (folder / "docs" / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00")
    ended = sextant(folder, "ingest", "docs", "--json")
    assert ended.returncode == 3
    report = json.loads(ended.stdout)
    assert set(report) == {
        *("found", "added", "updated", "unchanged", "removed", "chunks", "store", "vectors"),
        *("formats", "notes", "vanished", "skipped", "failed", "unresolved"),
    }
    assert (report["found"], report["added"], report["formats"]) == (4, 2, {"markdown": 2})
    (failed,), (skipped,) = report["failed"], report["skipped"]
    assert (failed["path"], failed["code"]) == ("broken.md", "broken_file")
    assert (skipped["path"], skipped["code"]) == ("photo.png", "unknown_format")
    shown = asked("ingest", "docs")
    assert shown.exit_code == 3
    assert "failed: broken.md: It is named like text" in shown.stderr
    assert "skipped: photo.png: There is no reader for" in shown.stderr


def test_ingest_status_and_export_count_the_same(folder: Path) -> None:
    more = {"c.md": "# Team Y\n\nTeam Y owns Harbor Queue. See [A](a.md), [queue](queue.md).\n"}
    lay_out(folder / "docs", {**PAGES, **more})
    held = told("ingest", "docs")["store"]
    (status,) = told("status")["tenants"]
    assert held == status["counts"]
    assert held["relations"] > 0
    documents, chunks = f"{held['documents']} documents", f"{held['chunks']} chunks"
    names = f"{held['entities']} entities and {held['relations']} relations"
    assert f"The store holds {documents}, {chunks}, {names}.\n" in asked("ingest", "docs").stdout
    shown = asked("export", "all.json").stdout
    written = json.loads((folder / "all.json").read_text())
    assert len(written["entities"]) == held["entities"]
    assert len(written["chunks"]) == held["chunks"]
    left = held["relations"] - len(written["relations"])
    assert f"{left} more relations (names that stand together, links," in shown


def test_documents_whose_files_vanished_are_named_and_a_sync_removes_them(folder: Path) -> None:
    many = {f"{at}.md": f"# Part {at}\n\nPart {at} is red.\n" for at in range(7)}
    lay_out(folder / "docs", {**PAGES, **many})
    assert told("ingest", "docs")["vanished"] == []
    lay_out(folder / "docs", PAGES)
    kept_on = [f"docs/{name}" for name in many]
    assert told("ingest", "docs")["vanished"] == kept_on
    shown = asked("ingest", "docs", "--dry-run").stdout
    said = "note: 7 documents stay though their files are gone or left out: docs/0.md, "
    assert said in shown
    assert "docs/4.md and 2 more; --sync removes them" in shown
    assert len(told("documents", "list")) == 9
    synced = told("ingest", "docs", "--sync")
    assert (synced["removed"], synced["vanished"], synced["notes"]) == (7, [], {})
    shown = asked("ingest", "docs", "--exclude", "a.md").stdout
    assert "1 document stays though its file is gone or left out: docs/a.md" in shown


def test_skipped_images_are_named(folder: Path) -> None:
    images = {f"img/{at}.png": b"\x89PNG\r\n\x1a\n" for at in range(6)}
    lay_out(folder / "docs", {**PAGES, **images, "x.bin": b"\0\1", ".git/config": "x"})
    lines = asked("ingest", "docs").stdout.splitlines()
    assert "skipped: 1 left out by patterns, hidden, or a tool's own: .git/" in lines
    assert "skipped: 1 of a format that is not read: x.bin" in lines
    named = ", ".join(f"img/{at}.png" for at in range(5))
    assert f"skipped: 6 images, which are not read: {named} and 1 more" in lines


def test_rules_are_proposed_as_they_are_pasted_and_nothing_is_written(folder: Path) -> None:
    assert asked("ingest", "docs", "--suggest-rules").stdout == (
        "# 2 documents were read; none counts less than others. No rule is proposed.\n"
    )
    head = "---\nauthors: [ann]\ncreated: 2021-05-01\n---\n"
    lay_out(folder / "docs", {**PAGES, "rfcs/a.md": f"{head}# Drain\n\nDrain by hand.\n"})
    assert not (folder / "kept").exists()
    proposed = asked("ingest", "docs", "--suggest-rules").stdout
    assert proposed.splitlines()[3:] == [
        "# 1 document: a proposal counts less than the manual.",
        "# Written 2021-05-01.",
        "# By ann.",
        "[[ingest.rules]]",
        'match = "rfcs/**"',
        'source_type = "proposal"',
        "reputation = 0.3",
    ]
    told("ingest", "docs")
    assert asked("ingest", "docs", "--suggest-rules").stdout == proposed
    (rule,) = told("ingest", "docs", "--suggest-rules")
    assert (rule["match"], rule["documents"], rule["authors"]) == ("rfcs/**", 1, ["ann"])
    (folder / "sextant.toml").write_text(SETTINGS + proposed)
    told("ingest", "docs")
    shown = told("documents", "show", "docs/rfcs/a.md")["document"]
    assert (shown["reputation"], shown["source_type"]) == (0.3, "proposal")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("ingest", "nowhere"), 1, "There is no nowhere here"),
        (("ingest", "ftp://a.example/x"), 1, "neither a file nor an http"),
        (("ingest", "docs", "docs"), 1, "Two sources are called docs"),
        (("ingest", "docs", "--watch", "--dry-run"), 1, "A dry run ends"),
        (("ingest", "docs", "queue", "--name", "x"), 2, "A name is for one source"),
        (("ingest", "docs", "--store", "nosuch:x"), 1, "names no store"),
        (("ingest",), 2, "Missing argument"),
    ],
)
def test_what_cannot_be_done_is_said_with_its_code(
    folder: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    shown = asked(*arguments)
    assert shown.exit_code == code
    assert words in " ".join(shown.stderr.split())
    assert "Traceback" not in shown.output
    assert not list((folder / "kept" / "tenants").glob("*"))


@pytest.mark.usefixtures("folder")
def test_options_reach_the_documents() -> None:
    marks = ("--tag", "t1", "--tag", "t2", "--persona", "sre", "--source-type", "runbook")
    chosen = ("--name", "book", "--include", "*.md", "--exclude", "a.*")
    told("ingest", "docs", "--tenant", "acme", *marks, *chosen)
    (document,) = told("documents", "list", "--tenant", "acme")
    assert (document["id"], document["tags"]) == ("book/queue.md", ["t1", "t2"])
    assert (document["personas"], document["source_type"]) == (["sre"], "runbook")
    assert told("documents", "list") == []


def test_a_dry_run_and_a_sync_tell_the_same_counts(folder: Path) -> None:
    told("ingest", "docs")
    (folder / "docs" / "a.md").unlink()
    dry = asked("ingest", "docs", "--sync", "--dry-run")
    assert dry.stdout.startswith("Would take in 0 documents")
    assert "1 unchanged, 1 removed" in " ".join(dry.stdout.split())
    assert len(told("documents", "list")) == 2
    assert told("ingest", "docs", "--sync")["removed"] == 1
    assert kept(folder) == asyncio.run(fresh({"queue.md": PAGES["queue.md"]}))


@pytest.mark.parametrize("more", [(), ("--sync",), ("--dry-run",)])
def test_a_folder_of_the_same_name_elsewhere_is_refused_with_a_way_out(
    folder: Path, more: tuple[str, ...]
) -> None:
    lay_out(folder / "other" / "docs", {"a.md": "# Service A\n\nService A is another one.\n"})
    told("ingest", "docs")
    refused = asked("ingest", "other/docs", *more)
    assert refused.exit_code == 1
    assert "docs was read from another place" in refused.stderr
    assert "--name docs; else give this one another --name" in " ".join(refused.stderr.split())
    assert kept(folder) == asyncio.run(fresh(PAGES))
    told("ingest", "other/docs", "--name", "others", "--sync")
    ids = [one["id"] for one in told("documents", "list")]
    assert ids == ["docs/a.md", "docs/queue.md", "others/a.md"]


@pytest.mark.usefixtures("folder")
def test_a_persona_that_is_left_out_the_next_time_is_noted_with_the_documents() -> None:
    told("ingest", "docs", "--persona", "hr")
    shown = asked("ingest", "docs").stdout
    assert "note: what only hr could see is open to more" in shown
    assert "docs/a.md, docs/queue.md; to go back, ingest it again with --persona hr" in shown
    assert told("ingest", "docs", "--persona", "sre")["notes"] == {}


def test_ctrl_c_stops_cleanly_and_the_next_run_goes_on(folder: Path) -> None:
    many: Tree = {f"{n}.md": f"# Part {n}\n\nPart {n} calls Part {n // 2}.\n" for n in range(600)}
    lay_out(folder / "docs", many)
    with started(folder, "ingest", "docs", FORCE_COLOR="1", TERM="xterm") as child:
        hear(child.stderr, r"\d+/\d+")
        child.send_signal(signal.SIGINT)
        _, complaints = child.communicate()
        assert child.returncode == 130
        assert b"Stopped" in complaints
        assert b"Traceback" not in complaints
    assert told("ingest", "docs")["found"] == 600
    assert kept(folder) == asyncio.run(fresh(many))


def test_a_watched_folder_is_taken_in_whenever_it_changes(folder: Path) -> None:
    with started(folder, "ingest", "docs", "--watch") as child:
        hear(child.stderr, "Watching")
        assert "Took in 2 documents (2 new" in hear(child.stdout, "removed")
        (folder / "docs" / "new.md").write_text("# Team Y\n\nTeam Y is a team.\n")
        (folder / "docs" / "a.md").unlink()
        heard = ""
        while "1 removed" not in heard or "(1 new" not in heard:
            heard += hear(child.stdout, "removed")
        child.send_signal(signal.SIGINT)
        _, complaints = child.communicate()
        assert child.returncode == 130
        assert b"Traceback" not in complaints
    ids = [one["id"] for one in told("documents", "list")]
    assert ids == ["docs/new.md", "docs/queue.md"]


def test_who_takes_documents_into_memory_hears_that_they_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("# A\n\nA is fine.\n")
    choice = ("--store", "memory:")
    said = "The store memory: is gone when this command ends."
    assert said in " ".join(asked("ingest", "a.md", *choice).stderr.split())
    assert said not in " ".join(asked("ingest", "a.md", *choice, "--dry-run").stderr.split())
    assert said not in " ".join(asked("ingest", "a.md").stderr.split())
