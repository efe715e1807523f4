"""Searching on the command line: what was found, what it scores, and why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.commands import asked, told
from tests.cli.knowledge import DAY, take_in


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with knowledge to stand in."""
    monkeypatch.chdir(tmp_path)
    take_in(tmp_path)
    return tmp_path


def test_hits_come_best_first_with_their_four_scores_and_a_snippet() -> None:
    shown = asked("search", "messages of Harbor Queue", *DAY).stdout
    lines = [line.strip() for line in shown.splitlines()]
    assert lines[0].startswith("1  0.")
    assert lines[0].endswith("Harbor Queue  docs/queue.md#c0")
    assert lines[1].startswith("relevancy 0.")
    assert lines[2].startswith("Harbor Queue (HQ) is a queue owned by Team Y.")
    assert lines[3].startswith("2  0.")


def test_a_passage_is_shown_whole_with_where_it_is_read(folder: Path) -> None:
    question = ("search", "messages of Harbor Queue", "-k", "1", "--full", *DAY)
    shown = asked(*question).stdout.splitlines()
    assert shown[2].strip() == "docs/queue.md"
    assert (
        shown[4]
        == "    Harbor Queue (HQ) is a queue owned by Team Y. It keeps messages for 72 hours."
    )
    code = "Run this:\n\n```sh\nharborctl drain \\\n    --all\n```"
    (folder / "docs" / "queue.md").write_text(f"# Harbor Queue\n\nIt keeps messages. {code}\n")
    told("ingest", "docs", "--base-url", "https://docs.example/")
    shown = asked(*question).stdout.splitlines()
    assert shown[2].strip() == "https://docs.example/queue/"
    assert "\n".join(line.removeprefix("    ") for line in shown[4:-1]).endswith(code)
    (hit,) = told(*question)["hits"]
    assert hit["chunk"]["text"].endswith(code)
    assert hit["document"]["url"] == "https://docs.example/queue/"
    cited = told("ask", "How long does Harbor Queue keep messages?", *DAY)["citations"]
    assert all(one["url"].startswith("https://docs.example/") for one in cited)


def test_json_has_everything_and_is_cut_at_k() -> None:
    found = told("search", "messages of Harbor Queue", "-k", "1", *DAY)
    (hit,) = found["hits"]
    assert hit["chunk"]["id"] == "docs/queue.md#c0"
    assert sum(share["points"] for share in hit["ledger"]["shares"]) == pytest.approx(
        hit["scores"]["total"]
    )
    assert found["trace"]["now"] == "2026-10-31T00:00:00+00:00"
    assert {one["step"] for one in found["timing"]} >= {"plan", "rank"}


def test_explain_shows_what_each_score_brought_and_what_would_move_it() -> None:
    shown = asked("search", "messages of Harbor Queue", "--explain", "--trace", *DAY).stdout
    assert re.search(r"relevancy +0\.\d{3} × 0\.740 = 0\.\d{3}\n", shown)  # noqa: RUF001 - times
    for words in ("reputation  ", "found by    keyword ", "its rank    ", "Trace  on 2026-10-31"):
        assert words in shown


def test_a_persona_and_weights_and_a_profile_change_what_ranks() -> None:
    question = ("search", "Where does Harbor Queue move to?")
    assert "Oslo" not in asked(*question).stdout
    assert "Oslo" in asked(*question, "--persona", "sre").stdout
    assert "Oslo" in asked(*question, "--persona", "hr", "--persona", "sre").stdout
    assert "Oslo" not in asked(*question, "--persona", "hr", "--persona", "it").stdout
    weighed = told(*question, "--weights", "relevancy=0,recency=0,richness=0,reputation=1")
    assert [hit["scores"]["total"] for hit in weighed["hits"]] == [
        hit["scores"]["reputation"] for hit in weighed["hits"]
    ]
    told("profiles", "save", "trust", "--weights", "relevancy=0,recency=0,richness=0")
    assert told(*question, "--profile", "trust")["hits"] == weighed["hits"]


def test_what_a_budget_left_out_is_said() -> None:
    question = ("search", "messages of Harbor Queue", "--budget-ms", "1")
    assert "left out for the budget: meaning, walk\n" in asked(*question).stdout
    steps = told(*question)["trace"]["steps"]
    assert steps[-1]["name"] == "budget"
    assert steps[-1]["facts"] == {"left_out": ["meaning", "walk"]}
    assert "left out" not in asked(*question[:2]).stdout


def test_nothing_found_is_said() -> None:
    nothing = asked("search", "anything", "--filter", '{"source_types": ["nosuch"]}')
    assert nothing.stdout == "Nothing was found.\n"
    assert asked("search", " ").exit_code == 1
    assert asked("search", "x", "-k", "0").exit_code == 2
