"""The audit log: who asked what of which tenant."""

import json
import logging
import stat
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sextant.errors import Forbidden
from sextant.serve.caller import Caller, Role, Wanted
from sextant.serve.house import Identity, Note, Porch, Visit
from sextant.serve.records.audit import FILE, AuditLog, open_audit
from sextant.serve.records.lines import LineFile
from sextant.settings import ServeSettings, Settings
from sextant.types import Scope

VISIT = Visit(Caller("key:7", "acme"), "r-1", "rest")
SCOPE = Scope("acme", frozenset({"sre"}), "ann")


class Watched(LineFile):
    """A file that tells each time that something was written, or could not be."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.failed, self.went_well = threading.Semaphore(0), threading.Semaphore(0)

    def append(self, lines: Sequence[str]) -> tuple[Sequence[str], str]:
        left, reason = super().append(lines)
        if lines:
            (self.failed if left else self.went_well).release()
        return left, reason


def written(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_verb_is_one_line_that_says_who_and_what(tmp_path: Path) -> None:
    before = datetime.now(UTC)
    audit = open_audit(Settings(serve=ServeSettings(folder=str(tmp_path))))
    audit.note(Note(VISIT, SCOPE, "ask", "Who owns A?"))
    audit.note(Note(VISIT, Scope("acme"), "ingest", "notes.md", "This needs the role X."))
    audit.close()
    first, second = written(tmp_path / FILE)
    at = datetime.fromisoformat(first.pop("at"))
    assert 0 <= (at - before).total_seconds() + 0.001 < 60
    assert first == {
        "requestId": "r-1",
        "door": "rest",
        "caller": "key:7",
        "tenant": "acme",
        "persona": "sre",
        "user": "ann",
        "verb": "ask",
        "subject": "Who owns A?",
        "outcome": "allowed",
    }
    assert second["outcome"] == "refused"
    assert second["reason"] == "This needs the role X."
    assert second["persona"] is None
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_a_refused_attempt_says_for_whom_it_was(tmp_path: Path) -> None:
    audit = AuditLog(LineFile(tmp_path / FILE))
    porch = Porch(Settings(), cast(Identity, None), audit, None)
    caller = Caller("key:7", "acme", "ann", frozenset({"sre"}), frozenset({Role.SEARCH}))
    visit = Visit(caller, "r-1", "mcp")
    tries = [
        (Wanted("beta", frozenset({"x" * 10**6})), Role.SEARCH),
        (Wanted(user="eve\n"), Role.SEARCH),
        (Wanted(personas=frozenset({"hr"})), Role.SEARCH),
        (Wanted(personas=frozenset({"sre", "hr"})), Role.SEARCH),
        (Wanted("beta"), Role.ADMIN),
        (Wanted(), Role.WRITE),
    ]
    for wanted, role in tries:
        with pytest.raises(Forbidden):
            porch.enter(visit, wanted, role, "ask", "Who?")
    porch.enter(visit, Wanted("acme", frozenset({"sre"})), Role.SEARCH, "ask", "Who?")
    audit.close()
    *refused, allowed = written(tmp_path / FILE)
    named = [
        {name: one[name] for name in one if name.startswith("wanted")}
        for one in (*refused, allowed)
    ]
    assert named == [
        {"wantedTenant": "beta", "wantedPersona": "x" * 500},
        {"wantedUser": "eve\n"},
        {"wantedPersona": "hr"},
        {"wantedPersona": ["hr", "sre"]},
        {"wantedTenant": "beta"},
        {},
        {},
    ]
    assert {(one["tenant"], one["user"], one["subject"]) for one in refused} == {
        ("acme", "ann", "Who?")
    }


def test_a_log_that_is_off_writes_nothing(tmp_path: Path) -> None:
    audit = open_audit(Settings(serve=ServeSettings(folder=str(tmp_path), audit=False)))
    audit.note(Note(VISIT, SCOPE, "ask", "Who?"))
    audit.close()
    assert list(tmp_path.iterdir()) == []


def test_lines_are_written_while_the_server_runs(tmp_path: Path) -> None:
    file = Watched(tmp_path / FILE)
    audit = AuditLog(file)
    audit.note(Note(VISIT, SCOPE, "ask", "Who?"))
    assert file.went_well.acquire(timeout=30)
    assert len(written(tmp_path / FILE)) == 1
    audit.close()


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=5))
def test_no_text_breaks_a_line(tmp_path: Path, texts: list[tuple[str, str]]) -> None:
    path = tmp_path / FILE
    path.unlink(missing_ok=True)
    audit = AuditLog(LineFile(path))
    for subject, user in texts:
        audit.note(Note(VISIT, Scope("acme", user=user), "ask", subject))
    audit.close()
    assert path.read_bytes().count(b"\n") == len(texts)
    assert all(0x20 <= byte < 0x80 for byte in path.read_bytes().replace(b"\n", b""))
    assert [(one["subject"], one["user"]) for one in written(path)] == [
        (subject[:500], user[:500]) for subject, user in texts
    ]


def test_whatever_is_huge_is_cut(tmp_path: Path) -> None:
    audit = AuditLog(LineFile(tmp_path / FILE))
    audit.note(
        Note(
            VISIT,
            Scope("t" * 10**6, frozenset({"p" * 10**6}), "u" * 10**6),
            "ask",
            "s" * 10**6,
            "r" * 10**6,
        )
    )
    audit.close()
    (line,) = written(tmp_path / FILE)
    assert max(len(value) for value in line.values()) == 500


def test_a_long_log_starts_anew_and_the_oldest_goes(tmp_path: Path) -> None:
    file = LineFile(tmp_path / FILE, largest=100, files=3)
    for number in range(0, 60, 2):
        assert file.append([f"{number:09}\n", f"{number + 1:09}\n"]) == ((), "")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["audit.1.jsonl", "audit.2.jsonl"]
    kept = (tmp_path / names[1]).read_text() + (tmp_path / names[0]).read_text()
    assert kept == "".join(f"{number:09}\n" for number in range(40, 60))
    assert file.append(["last\n"] * 25) == ((), "")
    assert (tmp_path / FILE).read_text() == "last\n" * 5


def test_a_line_that_broke_off_spoils_no_other(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"whole": 1}\n{"bro')
    LineFile(tmp_path / FILE).append(['{"next": 2}\n'])
    assert (tmp_path / FILE).read_text() == '{"whole": 1}\n{"bro\n{"next": 2}\n'


def test_two_writers_lose_no_line(tmp_path: Path) -> None:
    one, two = (AuditLog(LineFile(tmp_path / FILE)) for _ in range(2))
    for number in range(200):
        (one, two)[number % 2].note(Note(VISIT, SCOPE, "ask", str(number)))
    one.close()
    two.close()
    found = sorted(int(line["subject"]) for line in written(tmp_path / FILE))
    assert found == list(range(200))


def test_a_disk_that_takes_nothing_is_told_once_and_holds_up_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "later" / FILE
    with caplog.at_level(logging.WARNING):
        file = Watched(path)
        audit = AuditLog(file)
        audit.note(Note(VISIT, SCOPE, "ask", "first"))
        assert file.failed.acquire(timeout=30)
        audit.note(Note(VISIT, SCOPE, "ask", "second"))
        assert file.failed.acquire(timeout=30)
        path.parent.mkdir()
        audit.close()
    assert [line["subject"] for line in written(path)] == ["first", "second"]
    told = [record.message for record in caplog.records]
    assert len(told) == 2
    assert "cannot be written (No such file or directory)" in told[0]
    assert "written again; 0 lines were lost" in told[1]


def test_what_waits_for_a_broken_disk_is_bounded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sextant.serve.records.audit._MOST_WAITING", 10)
    path = tmp_path / "later" / FILE
    with caplog.at_level(logging.WARNING):
        file = Watched(path)
        audit = AuditLog(file)
        for number in range(25):
            audit.note(Note(VISIT, SCOPE, "ask", str(number)))
        assert file.failed.acquire(timeout=30)
        path.parent.mkdir()
        audit.note(Note(VISIT, SCOPE, "ask", "25"))
        audit.close()
    assert [int(line["subject"]) for line in written(path)] == list(range(16, 26))
    assert "16 lines were lost" in caplog.text


def test_a_link_in_the_place_of_the_log_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("mine")
    (tmp_path / FILE).symlink_to(tmp_path / "target")
    left, reason = LineFile(tmp_path / FILE).append(["line\n"])
    assert left == ["line\n"]
    assert reason
    assert (tmp_path / "target").read_text() == "mine"
