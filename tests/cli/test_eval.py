"""Scoring a set of questions on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import asked, told
from tests.cli.knowledge import MOVE, OWNER, take_in

RIGHT: dict[str, Any] = {
    "id": "right",
    "question": OWNER,
    "kind": "one-hop",
    "split": "train",
    "must": ["Team Y"],
    "documents": ["queue.md"],
}
HIDDEN = {**RIGHT, "id": "hidden", "question": MOVE, "must": ["Oslo"], "documents": ["plan.md"]}
SET = [
    RIGHT,
    {**HIDDEN, "id": "seen", "persona": "sre", "kind": "secret"},
    {**HIDDEN, "split": "test"},
    {**RIGHT, "id": "asked-on", "question": "And who owns it?", "kind": "follow-up"}
    | {"history": [{"role": "user", "text": "What is Harbor Queue?"}]},
    {"id": "hopeless", "question": "Who painted the Mona Lisa?", "kind": "unanswerable"},
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with knowledge to stand in, and questions about it."""
    monkeypatch.chdir(tmp_path)
    take_in(tmp_path)
    (tmp_path / "set.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in SET))
    return tmp_path


def test_right_answers_are_counted_by_kind_and_split() -> None:
    found = told("eval", "set.jsonl")
    assert [one["id"] for one in found["answers"] if not one["right"]] == ["hidden"]
    assert (found["questions"], found["right"], found["share"]) == (5, 4, 0.8)
    assert found["kinds"]["one-hop"] == {"questions": 2, "right": 1, "share": 0.5}
    assert found["splits"]["test"]["right"] == 0
    assert 0 <= found["confidence_of_wrong"] <= found["confidence_of_right"] <= 1


def test_a_table_and_what_is_wrong_are_shown() -> None:
    shown = asked("eval", "set.jsonl").stdout
    words = " ".join(shown.split())
    assert "one-hop 2 1 50%" in words
    assert "all 5 4 80%" in words
    assert f"wrong hidden {MOVE} not answered; lacks “Oslo”; does not cite plan.md" in words


def test_only_some_are_asked() -> None:
    assert told("eval", "set.jsonl", "--split", "test")["questions"] == 1
    assert told("eval", "set.jsonl", "--kind", "secret", "--kind", "follow-up")["questions"] == 2
    assert told("eval", "set.jsonl", "--limit", "3")["questions"] == 3


def test_the_exit_code_tells_whether_enough_is_right() -> None:
    assert asked("eval", "set.jsonl", "--at-least", "0.8").exit_code == 0
    assert asked("eval", "set.jsonl", "--at-least", "0.9").exit_code == 1


def test_asking_a_set_leaves_no_trace_in_the_store() -> None:
    before = told("search", OWNER)["hits"]
    for _ in range(3):
        told("eval", "set.jsonl")
    assert told("search", OWNER)["hits"] == before


def test_without_a_file_the_sample_is_asked_and_how_to_take_it_in_is_said() -> None:
    shown = asked("eval", "--kind", "one-hop", "--limit", "2")
    assert shown.exit_code == 0
    assert "sextant ingest" in shown.stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "The set has no question"),
        (f"{json.dumps(RIGHT)}\n{{", "Line 2 is no question: it is no JSON"),
        (json.dumps({**RIGHT, "must": 1}), "Line 1 is no question: must is no list"),
        (json.dumps({**RIGHT, "question": "x" * 30_000}), "right cannot be asked"),
    ],
)
def test_a_bad_line_is_named(folder: Path, content: str, words: str) -> None:
    (folder / "bad.jsonl").write_text(content)
    shown = asked("eval", "bad.jsonl")
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert words in " ".join(shown.stderr.split())


def test_a_split_that_is_not_there_is_refused() -> None:
    shown = asked("eval", "set.jsonl", "--split", "none")
    assert (shown.exit_code, "The set has no such question" in shown.stderr) == (1, True)
