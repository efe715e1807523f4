"""A store to look into: it must be there, and whoever looks does not make one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import SETTINGS, asked, told
from tests.ingest.folders import lay_out

LOOKING = (
    ("documents", "list"),
    ("documents", "show", "x"),
    ("documents", "delete", "x"),
    ("entities", "find", "x"),
    ("entities", "show", "x"),
    ("entities", "alias", "x", "y"),
    ("entities", "merge", "x", "y"),
    ("entities", "split", "x", "y"),
    ("relations", "x"),
    ("export", "all.json"),
    ("search", "x"),
    ("ask", "x"),
    ("status",),
    ("backup", "b.tar"),
    ("rebuild",),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings and a page, and no store yet, to stand in."""
    (tmp_path / "sextant.toml").write_text(SETTINGS)
    lay_out(tmp_path / "docs", {"a.md": "# Service A\n\nService A depends on Harbor Queue.\n"})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("command", LOOKING, ids=" ".join)
def test_who_looks_into_no_store_is_told_so_and_makes_none(
    folder: Path, command: tuple[str, ...]
) -> None:
    shown = asked(*command, "--store", "sqlite:mistyped/store")
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert "There is no store" in shown.stderr
    assert "mistyped/store" in shown.stderr
    assert names(folder) == ["docs", "sextant.toml"]


def test_what_cannot_be_taken_in_leaves_nothing_behind(folder: Path) -> None:
    for more in ((), ("--watch",), ("--dry-run",)):
        shown = asked("ingest", "nosuch", *more)
        assert (shown.exit_code, "There is no nosuch here" in shown.stderr) == (1, True)
    assert names(folder) == ["docs", "sextant.toml"]


def test_a_dry_run_into_no_store_is_one_into_an_empty_one(folder: Path) -> None:
    (folder / "empty").mkdir()
    for store in ("sqlite:kept", "sqlite:empty"):
        shown = told("ingest", "docs", "--dry-run", "--store", store)
        assert (shown["found"], shown["added"]) == (1, 1)
    assert names(folder) == ["docs", "empty", "sextant.toml"]
    assert names(folder / "empty") == []
    refused = asked("ingest", "docs", "--dry-run", "--store", "sqlite:docs")
    assert (refused.exit_code, "not a store's" in refused.stderr) == (1, True)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "command",
    [
        ("search", "service a"),
        ("ask", "What is Service A?"),
        ("documents", "list"),
        ("entities", "find", "service a"),
        ("export", "all.json"),
    ],
    ids=" ".join,
)
def test_a_tenant_that_is_not_there_is_told_beside_the_result(command: tuple[str, ...]) -> None:
    told("ingest", "docs", "--tenant", "acme")
    unknown = asked(*command, "--tenant", "acne")
    assert unknown.exit_code == 0
    assert unknown.stderr == (
        "note: There is no tenant 'acne'. Known: acme. "
        "`sextant ingest DOCS --tenant acne` makes one.\n"
    )
    Path("all.json").unlink(missing_ok=True)
    assert asked(*command, "--tenant", "acme").stderr == ""
