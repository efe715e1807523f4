"""Usage logs on the command line: what is learnt of them, and what is taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import SETTINGS, asked, told
from tests.cli.knowledge import fed

PR, SIGN_IN, SEND = "github.createPullRequest", "github.authenticate", "slack.sendMessage"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in, whose store has the bundled tools."""
    (tmp_path / "sextant.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    told("tools", "import", "--sample")
    return tmp_path


def log(folder: Path, *lines: Any) -> str:
    """Write a log; what is no text becomes JSON."""
    written = [one if isinstance(one, str) else json.dumps(one) for one in lines]
    (folder / "usage.jsonl").write_text("\n".join(written) + "\n")
    return "usage.jsonl"


def use(*tools: str, **more: Any) -> dict[str, Any]:
    return {"request": "open a pull request", "tools": list(tools), **more}


def test_a_log_is_learnt_from_and_counts_nothing_twice(folder: Path) -> None:
    file = log(folder, use(PR, SEND), use(PR, SEND), "", use(PR, SEND, id="s1", user="ann"))
    first = told("tools", "log", file)
    assert (first["lines"], first["new"], first["again"]) == (3, 3, 0)
    again = told("tools", "log", file)
    assert (again["new"], again["again"]) == (0, 3)
    assert told("tools", "next", PR)[0]["tool"]["id"] == SEND
    assert told("tools", "stats")["uses"] == 3


def test_a_log_that_grew_counts_what_is_new(folder: Path) -> None:
    told("tools", "log", log(folder, use(PR, SEND)))
    grown = told("tools", "log", log(folder, use(PR, SEND), use(PR, SEND), use(SIGN_IN)))
    assert (grown["new"], grown["again"]) == (2, 1)


def test_unknown_tools_are_named_and_the_rest_goes_on(folder: Path) -> None:
    file = log(folder, use("no.such", SEND), use("no.such"), use(PR, SEND))
    shown = asked("tools", "log", file)
    assert shown.exit_code == 0
    assert "Learnt from 2 new uses" in shown.stdout
    assert "There is no tool 'no.such' (2 lines)" in shown.stderr


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[1]",
        '{"tools": []}',
        '{"tools": "a"}',
        '{"tools": [1]}',
        json.dumps(use(PR, times=[])).replace("[]", "[1, 2]"),
        json.dumps(use(PR, times=["yesterday"])),
        json.dumps(use(PR, times=[1e300])),
        json.dumps(use(PR, outcome="perhaps")),
        json.dumps(use(PR, user=7)),
        json.dumps({"request": "x" * 1_100_000, "tools": [PR]}),
        json.dumps(use(*[PR] * 101)),
        "[" * 50_000,
    ],
    ids=range(13),
)
def test_a_line_that_cannot_be_read_is_named_by_its_number(folder: Path, line: str) -> None:
    ended = asked("tools", "log", log(folder, use(PR, SEND), "", line), "--json")
    report = json.loads(ended.stdout)
    assert (ended.exit_code, report["new"]) == (3, 1), report
    assert report["broken"][0]["line"] == 3


def test_times_give_the_seconds_between_and_stdin_is_read_too() -> None:
    times = ["2026-10-01T10:00:00Z", "2026-10-01T10:02:00"]
    lines = [json.dumps(use(PR, SEND, times=times, id=f"s{at}")) for at in range(2)]
    ended = fed("\n".join(lines), "tools", "log", "-", "--json")
    assert json.loads(ended.stdout)["new"] == 2
    assert told("tools", "next", PR)[0]["seconds_between"] == 120


def test_what_is_forgotten_counts_no_more(folder: Path) -> None:
    told("tools", "log", log(folder, use(PR, SEND, id="s1"), use(PR, SEND, id="s2")))
    assert told("tools", "forget", "s1", "s2", "s3") == {"forgotten": 2}
    assert told("tools", "stats")["uses"] == 0
    assert "Forgot 0 of 1" in asked("tools", "forget", "s1").stdout


def test_a_log_that_is_not_there_is_named() -> None:
    missing = asked("tools", "log", "gone.jsonl")
    assert (missing.exit_code, "gone.jsonl cannot be read" in missing.stderr) == (1, True)
