"""Saying what answers were worth, and saving how hits are ranked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import asked, told
from tests.cli.knowledge import DAY, OWNER, take_in


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with knowledge to stand in, and an answer that was saved."""
    monkeypatch.chdir(tmp_path)
    take_in(tmp_path)
    assert asked("ask", OWNER, "--save", "answer.json").exit_code == 0
    return tmp_path


def reputation(document_id: str) -> Any:
    hits = told("search", OWNER, *DAY)["hits"]
    return next(h["scores"]["reputation"] for h in hits if h["document"]["id"] == document_id)


def test_a_helpful_answer_lifts_its_sources_until_that_is_taken_back() -> None:
    before = reputation("docs/queue.md")
    said = told("feedback", "answer.json", "--helpful", "--user", "ann", "--comment", "short")
    assert said["subject"] == f"answer:{told_digest()}"
    assert said["verdict"] == "helpful"
    assert reputation("docs/queue.md") > before
    told("feedback", "answer.json", "--withdraw", "--user", "ann")
    assert reputation("docs/queue.md") == before


def told_digest() -> str:
    return str(told("verify", "answer.json")["checks"][-1]["name"])


def test_one_source_or_a_document_can_be_spoken_of() -> None:
    before = reputation("docs/queue.md")
    shown = asked("feedback", "answer.json", "--not-helpful", "--source", "harbor queue")
    assert (shown.exit_code, shown.stdout) == (0, "Noted: document:docs/queue.md unhelpful.\n")
    assert reputation("docs/queue.md") < before
    told("feedback", "--document", "docs/queue.md", "--withdraw")
    assert reputation("docs/queue.md") == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("answer.json",), "It is not clear what is said"),
        (("answer.json", "--helpful", "--withdraw"), "It is not clear what is said"),
        (("--helpful",), "It is not clear what is spoken of"),
        (("answer.json", "--helpful", "--document", "x"), "It is not clear what is spoken of"),
        (("answer.json", "--helpful", "--source", "Bible"), "The answer has no source 'Bible'"),
        (("--helpful", "--document", "docs/none.md"), "There is no such document"),
        (("--helpful", "--document", "secret/plan.md"), "There is no such document"),
        (("sextant.toml", "--helpful"), "This is no saved answer"),
    ],
)
def test_what_is_not_clear_is_refused_in_words(arguments: tuple[str, ...], words: str) -> None:
    shown = asked("feedback", *arguments)
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert words in " ".join(shown.stderr.split())


def test_profiles_are_saved_listed_and_deleted() -> None:
    assert asked("profiles", "list").stdout == "There are no profiles.\n"
    fresh = ("profiles", "save", "fresh", "--weights", "recency=0.5", "--half-life-days", "30")
    saved = told(*fresh, "--persona", "sre", "--default")
    assert (saved["weights"]["recency"], saved["half_life_days"]) == (0.5, 30)
    assert told("profiles", "list") == []
    assert told("profiles", "list", "--persona", "sre") == [saved]
    assert "fresh 0.74 0.5 0.02 0.2 30 days sre default" in " ".join(
        asked("profiles", "list", "--persona", "sre").stdout.split()
    )
    assert asked("profiles", "delete", "fresh").exit_code == 1
    assert told("profiles", "delete", "fresh", "--persona", "sre") == {"deleted": "fresh"}
    assert told("profiles", "list", "--persona", "sre") == []


def test_a_profile_that_cannot_rank_is_refused() -> None:
    nothing = "relevancy=0,recency=0,richness=0,reputation=0"
    for arguments in (("x", "--weights", nothing), ("x", "--half-life-days", "0"), ("",)):
        shown = asked("profiles", "save", *arguments)
        assert (shown.exit_code, shown.stdout) == (1, "")


def test_an_answer_that_was_edited_gets_no_feedback() -> None:
    told("ask", OWNER, "--save", "edited.json", *DAY)
    edited = Path("edited.json").read_text().replace("docs/queue.md", "docs/a.md")
    Path("edited.json").write_text(edited)
    shown = asked("feedback", "edited.json", "--helpful")
    assert shown.exit_code == 1
    assert "not as it was saved" in shown.stderr


def test_another_tenant_is_not_made_by_feedback_on_what_it_does_not_have() -> None:
    told("ask", OWNER, "--save", "mine.json", *DAY)
    shown = asked("feedback", "mine.json", "--helpful", "--tenant", "other")
    assert shown.exit_code == 1
    assert "There is no such document" in shown.stderr
    assert asked("status", "--tenant", "other").exit_code == 1
