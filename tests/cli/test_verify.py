"""Verifying on the command line: 0 while an answer holds, 1 and the reason when it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sextant.ask.record.load import read
from sextant.serve.wire.answer import TraceForm, reply_of
from tests.cli.commands import asked, told
from tests.cli.knowledge import MOVE, OWNER, fed, take_in


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with knowledge to stand in, and an answer that was saved."""
    monkeypatch.chdir(tmp_path)
    take_in(tmp_path)
    assert asked("ask", OWNER, "--save", "answer.json").exit_code == 0
    return tmp_path


def test_an_answer_holds_while_nothing_changes(folder: Path) -> None:
    shown = asked("verify", "answer.json")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[-1] == "It holds: 1 statements, 1 sources."
    found = told("verify", "answer.json")
    assert found["ok"]
    assert {check["what"] for check in found["checks"]} == {"citation", "statement", "record"}
    text = (folder / "answer.json").read_text(encoding="utf-8")
    assert fed(text, "verify", "-").exit_code == 0


@pytest.mark.parametrize("form", ["compact", "full"])
def test_a_reply_of_a_server_is_verified_and_judged_as_it_came(
    folder: Path, form: TraceForm
) -> None:
    saved = read((folder / "answer.json").read_text(encoding="utf-8"))
    reply = reply_of(saved.answer, "c1", form)
    (folder / "reply.json").write_text(json.dumps(reply), encoding="utf-8")
    assert asked("verify", "reply.json").exit_code == 0
    assert told("feedback", "reply.json", "--helpful")["subject"] == f"answer:{saved.digest}"
    reply["citations"][0]["quote"] = "Harbor Queue is owned by Team Z."
    (folder / "reply.json").write_text(json.dumps(reply), encoding="utf-8")
    changed = asked("verify", "reply.json")
    assert changed.exit_code == 1
    assert "it was changed after it was saved" in changed.stdout
    (folder / "reply.json").write_text('{"answerId": 1}', encoding="utf-8")
    refused = asked("verify", "reply.json")
    assert refused.exit_code == 1
    assert "This is not a whole reply of POST /api/ask." in refused.stderr


def test_it_holds_when_only_other_documents_come(folder: Path) -> None:
    page = "# Team Y\n\nTeam Y is a team. Harbor Queue (HBQ) precedes Dock Queue.\n"
    (folder / "docs" / "y.md").write_text(page)
    told("ingest", "docs")
    assert asked("verify", "answer.json").exit_code == 0


def test_a_changed_document_makes_it_fail_and_says_where(folder: Path) -> None:
    page = folder / "docs" / "queue.md"
    page.write_text(f"{page.read_text()}\nIt was built in Bergen.\n")
    told("ingest", "docs")
    longer = asked("verify", "answer.json")
    assert longer.exit_code == 1
    still = "no citation Harbor Queue: the document has changed, but the quote still stands in it"
    assert still in longer.stdout
    page.write_text(page.read_text().replace("Team Y", "Team Q"))
    told("ingest", "docs")
    gone = asked("verify", "answer.json")
    assert gone.exit_code == 1
    assert (
        "no citation Harbor Queue: the document has changed, and the quote is gone" in gone.stdout
    )
    assert "It does not hold" in gone.stdout


def test_a_deleted_document_makes_it_fail() -> None:
    told("documents", "delete", "docs/queue.md")
    shown = asked("verify", "answer.json")
    assert (shown.exit_code, "there is no document 'docs/queue.md'" in shown.stdout) == (1, True)


def test_a_changed_file_makes_it_fail(folder: Path) -> None:
    path = folder / "answer.json"
    path.write_text(path.read_text(encoding="utf-8").replace("Team Y", "Team Q"), "utf-8")
    shown = asked("verify", "answer.json", "--json")
    failed = [check for check in json.loads(shown.stdout)["checks"] if not check["ok"]]
    assert shown.exit_code == 1
    assert {check["what"] for check in failed} == {"citation", "record", "statement"}


def test_what_was_hidden_is_verified_by_who_may_see_it() -> None:
    assert asked("ask", MOVE, "--persona", "sre", "--save", "move.json").exit_code == 0
    assert asked("verify", "move.json", "--persona", "sre").exit_code == 0
    assert asked("verify", "move.json", "--operator").exit_code == 0
    hidden = asked("verify", "move.json")
    assert (hidden.exit_code, "or it is not for you to see" in hidden.stdout) == (1, True)


def test_an_answer_that_claims_nothing_holds() -> None:
    assert asked("ask", "Who painted the Mona Lisa?", "--save", "none.json").exit_code == 0
    assert "It holds: it claims nothing." in asked("verify", "none.json").stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "This is no saved answer: it is no JSON"),
        (b"{}", "This is no saved answer: the whole has no field 'format'"),
        (b'{"format": 99}', "its format is '99', and 1 is read"),
        (b"\xff\xfe", "broken.json is no text in UTF-8"),
        (b" " * 8_000_001, "broken.json has more than 8,000,000 bytes"),
    ],
)
def test_what_is_no_answer_is_refused_in_words(folder: Path, content: bytes, words: str) -> None:
    (folder / "broken.json").write_bytes(content)
    shown = asked("verify", "broken.json")
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert words in " ".join(shown.stderr.split())
