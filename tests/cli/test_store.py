"""Commands that look after the store."""

import asyncio
import json
import signal
from pathlib import Path

import pytest

from sextant import build
from sextant.settings import Settings
from sextant.stores.sqlite.tenant import tenant_folder
from sextant.types import Chunk, Document, Put, Scope
from tests.cli.commands import SETTINGS, asked, hear, sextant, started, told
from tests.ingest.folders import lay_out


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store and the settings that name it, to stand in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sextant.toml").write_text(SETTINGS)

    async def fill() -> None:
        settings = Settings(store=f"sqlite:{tmp_path / 'kept'}", embedder="tiny:16")
        async with await build.open_sextant(settings) as opened:
            put = Put(Document("d", "Pods"), (Chunk("d#1", "restart the pods"),))
            await opened.write(Scope("acme"), [put])

    asyncio.run(fill())
    return tmp_path


def test_help_names_every_command(tmp_path: Path) -> None:
    shown = sextant(tmp_path, "--help")
    assert shown.returncode == 0
    for command in ("ingest", "documents", "status", "config", "backup", "restore", "rebuild"):
        assert command in shown.stdout
        assert "Usage" in asked(command, "--help").stdout


def test_version_is_shown(tmp_path: Path) -> None:
    assert sextant(tmp_path, "--version").stdout.startswith("sextant 0.")


def test_status_counts_and_checks(folder: Path) -> None:
    shown = sextant(folder, "status")
    assert shown.returncode == 0
    assert "acme" in shown.stdout
    said = told("status", "--check")
    assert said["problems"] == []
    assert said["tenants"][0]["counts"]["chunks"] == 1
    assert said["tenants"][0]["embedder"] == {"name": "tiny:16", "width": 16}


def test_status_tells_of_vectors_that_another_embedder_made(folder: Path) -> None:
    assert "questions are refused" not in sextant(folder, "status").stderr
    shown = sextant(folder, "status", SEXTANT_EMBEDDER="minilm:")
    assert shown.returncode == 0
    assert "did not make the vectors of acme: questions are refused" in shown.stderr
    wider = sextant(folder, "status", "--json", SEXTANT_EMBEDDER="tiny:32")
    assert json.loads(wider.stdout)["of_other_embedders"] == ["acme"]
    strange = sextant(folder, "status", "--json", SEXTANT_EMBEDDER="nowhere:at-all")
    assert json.loads(strange.stdout)["of_other_embedders"] == []


@pytest.mark.usefixtures("folder")
def test_status_says_what_each_part_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    said = told("status")
    assert "exact scores" in said["abilities"]["index"]
    assert said["lacking"] == {}
    assert said["tenants"][0]["documents_behind"] == 0
    monkeypatch.setenv("SEXTANT_INDEX", "memory:")
    assert "1 documents behind the truth" in asked("status").stdout
    monkeypatch.setenv("SEXTANT_INDEX", "nowhere:")
    assert "it names no index" in asked("status").stderr
    monkeypatch.delenv("SEXTANT_INDEX")
    shown = asked("status", "--store", "memory:").stdout
    assert "The truth does not promise: durable." in shown


def test_status_tells_of_a_damaged_tenant_and_shows_the_others(folder: Path) -> None:
    async def other() -> None:
        settings = Settings(store=f"sqlite:{folder / 'kept'}", embedder="tiny:16")
        async with await build.open_sextant(settings) as opened:
            await opened.write(Scope("other"), [Put(Document("d"), (Chunk("d#1", "x"),))])

    asyncio.run(other())
    (tenant_folder(folder / "kept", "other") / "truth.db").write_bytes(b"x" * 5_000)
    shown = sextant(folder, "status", "--check")
    assert shown.returncode == 1
    assert "acme" in shown.stdout
    assert "'other'" in shown.stderr
    assert "Restore the last backup" in shown.stderr


@pytest.mark.parametrize("name", ["SEXTANT_EMBEDDER", "SEXTANT_KEYWORD_LANGUAGE"])
def test_a_store_is_backed_up_whatever_other_settings_say(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "gone:x")
    assert asked("backup", "b.tar").exit_code == 0
    assert (folder / "b.tar").is_file()
    assert asked("status").exit_code == 0


def test_status_without_a_store_says_so_and_makes_none(tmp_path: Path) -> None:
    shown = sextant(tmp_path, "status")
    assert shown.returncode == 1
    assert "There is no store" in shown.stderr
    assert "hint:" in shown.stderr
    assert list(tmp_path.iterdir()) == []


def test_config_shows_where_each_setting_came_from(folder: Path) -> None:
    shown = sextant(folder, "config", "--json", SEXTANT_EMBEDDER="tiny:8", SEXTANT_TYPO="1")
    said = json.loads(shown.stdout)
    assert said["embedder"] == {"value": "tiny:8", "from": "SEXTANT_EMBEDDER"}
    assert said["store"]["from"].endswith("sextant.toml")
    assert said["limits.k"]["from"] == "default"
    table = sextant(folder, "config", SEXTANT_TYPO="1")
    assert "SEXTANT_TYPO names no setting" in table.stderr


def test_a_backup_is_restored_next_door(folder: Path) -> None:
    assert sextant(folder, "backup", "b.tar").returncode == 0
    again = asked("backup", "b.tar")
    assert again.exit_code == 1
    assert "exists already" in again.stderr
    restored = asked("restore", "b.tar", "--store", "sqlite:new")
    assert restored.exit_code == 0, restored.stderr
    assert "acme" in restored.stdout
    said = told("status", "--store", "sqlite:new", "--check")
    assert said["tenants"][0]["counts"]["documents"] == 1


def test_a_rebuild_takes_another_embedder(folder: Path) -> None:
    shown = sextant(folder, "rebuild", "--embedder", "tiny:32")
    assert shown.returncode == 0, shown.stderr
    said = told("status", "--check")
    assert said["tenants"][0]["embedder"]["width"] == 32
    assert asked("rebuild", "--tenant", "acme").exit_code == 0
    said = told("status", "--check")
    assert said["tenants"][0]["embedder"]["width"] == 16  # as the settings say


@pytest.mark.parametrize(
    "arguments",
    [
        ("status", "--store", "nosuch:x"),
        ("restore", "nowhere.tar", "--store", "sqlite:n"),
        ("rebuild", "--embedder", "tiny:wide"),
        ("rebuild", "--tenant", "nobody"),
        ("status", "--tenant", "[/red]"),
        ("backup", "nowhere/b.tar"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_wrong_is_said_without_a_stack_trace(arguments: tuple[str, ...]) -> None:
    shown = asked(*arguments)
    assert shown.exit_code == 1
    assert isinstance(shown.exception, SystemExit)
    assert "error:" in shown.stderr
    assert "Traceback" not in shown.stderr


def test_a_wrong_settings_file_is_said_too(folder: Path) -> None:
    (folder / "sextant.toml").write_text("stoer = 1")
    for command in ("config", "status"):
        shown = asked(command)
        assert shown.exit_code == 1
        assert "Did you mean store?" in shown.stderr


def test_a_backup_speaks_of_its_own_folder_and_file(folder: Path) -> None:
    unnamed = asked("backup", "")
    assert (unnamed.exit_code, "A file name is wanted" in unnamed.stderr) == (1, True)
    unwritable = asked("backup", "/proc/b.tar")
    assert unwritable.exit_code == 1
    assert "The backup's folder /proc cannot be written to" in unwritable.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["kept", "sextant.toml"]


def test_a_store_that_is_a_file_is_said_to_be_one(folder: Path) -> None:
    (folder / "docs").mkdir()
    (folder / "file").write_text("x")
    for place in ("file", "file/below"):
        shown = asked("ingest", "docs", "--store", f"sqlite:{place}")
        assert (shown.exit_code, shown.stdout) == (1, "")
        assert "is a file, not a folder" in " ".join(shown.stderr.split())


@pytest.mark.usefixtures("folder")
def test_who_leaves_out_a_scheme_is_told_what_to_write() -> None:
    assert "Did you mean sqlite:kept?" in asked("status", "--store", "kept").stderr
    assert "Did you mean tiny:?" in asked("rebuild", "--embedder", "tiny").stderr


def test_the_mark_of_a_store_may_be_written_in_another_way(folder: Path) -> None:
    mark = folder / "kept" / "sextant-store.json"
    said = json.loads(mark.read_text())
    for text in (json.dumps(said) + "\n", json.dumps(said, indent=4, sort_keys=True)):
        mark.write_text(text)
        assert told("status")["problems"] == []
    mark.write_text(json.dumps({**said, "format": 99}))
    assert "The store has format 99" in asked("status").stderr


def test_a_rebuild_with_another_embedder_says_what_to_set_now(folder: Path) -> None:
    same = asked("rebuild", "--embedder", "tiny:16")
    assert (same.exit_code, same.stderr) == (0, "")
    other = asked("rebuild", "--embedder", "tiny:32")
    assert "Rebuilt" in other.stdout
    told_so = " ".join(other.stderr.split())
    assert 'sextant.toml has embedder = "tiny:16"' in told_so
    assert "SEXTANT_EMBEDDER=tiny:32" in told_so
    assert asked("search", "pods", "--tenant", "acme").exit_code == 1
    (folder / "sextant.toml").write_text(SETTINGS.replace("tiny:16", "tiny:32"))
    assert asked("search", "pods", "--tenant", "acme").exit_code == 0
    assert asked("rebuild", "--embedder", "tiny:32").stderr == ""


def test_a_rebuild_that_is_stopped_says_how_it_goes_on(folder: Path) -> None:
    lay_out(folder / "docs", {f"{n}.md": f"# Part {n}\n\nPart {n}.\n" for n in range(600)})
    told("ingest", "docs")
    again = ("rebuild", "--embedder", "minilm:")
    with started(folder, *again, FORCE_COLOR="1", TERM="xterm") as child:
        hear(child.stderr, "embedding")
        child.send_signal(signal.SIGINT)
        _, complaints = child.communicate()
    assert child.returncode == 130
    assert b"The same command goes on where it was." in complaints
