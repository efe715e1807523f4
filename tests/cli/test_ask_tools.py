"""Asking with `--tools`: the answer stays as it is, and ends with what carries it out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import asked, told
from tests.ingest.folders import lay_out

PAGE = (
    "# Incident follow-up\n\nAfter an incident of Service A, file a Jira issue for every cause that"
    " was found.\n"
)
WHAT = "What do I do after an incident of Service A?"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with knowledge and tools to stand in."""
    (tmp_path / "sextant.toml").write_text('store = "sqlite:kept"\n')
    monkeypatch.chdir(tmp_path)
    lay_out(tmp_path / "docs", {"incident.md": PAGE})
    told("ingest", "docs")
    return tmp_path


def test_an_answer_ends_with_its_tools_where_they_are_wanted() -> None:
    told("tools", "import", "--sample")
    plain, full = told("ask", WHAT), told("ask", WHAT, "--tools")
    found = full.pop("tools")
    plain.pop("timing")
    full.pop("timing")
    assert plain == full
    assert [one["tool"]["id"] for one in found] == ["jira.createIssue"]
    assert found[0]["chunk_id"] == plain["citations"][0]["chunk_id"]
    shown, without = asked("ask", WHAT, "--tools").stdout, asked("ask", WHAT).stdout
    assert shown.startswith(without)
    lines = [line.strip() for line in shown.removeprefix(without).splitlines()]
    assert lines[1] == "Tools"
    assert lines[2].startswith("jira.createIssue")
    assert "needs jira.authenticate" in lines


def test_without_any_tool_the_answer_says_that_none_carries_it_out() -> None:
    shown = asked("ask", WHAT, "--tools")
    assert shown.exit_code == 0
    assert "No tool clearly carries this out." in shown.stdout
