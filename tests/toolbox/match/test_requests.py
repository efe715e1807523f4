"""How a request is read: its clauses, and what its literals stand for."""

from __future__ import annotations

import pytest

from sextant.toolbox.match.clauses import MOST_CLAUSES, split_request
from sextant.toolbox.match.literals import spell_out
from sextant.toolbox.match.texts import split_identifier


def test_a_request_of_several_steps_is_split_at_their_verbs() -> None:
    assert split_request("Open a PR for the fix and tell the team, then close the issue.") == (
        "Open a PR for the fix",
        "tell the team",
        "close the issue.",
    )


@pytest.mark.parametrize(
    "text", ["Open a PR.", "", "bread and butter", "salt, pepper and oil", "メモを書いて送る"]
)
def test_a_request_of_one_step_is_not_split(text: str) -> None:
    assert split_request(text) == ()


def test_no_more_clauses_are_made_than_are_matched() -> None:
    assert len(split_request("and send the note " * 40 + "and read the mail")) <= MOST_CLAUSES


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Save it to /srv/data/q3_sales.xlsx please",
            "Save it to Excel spreadsheet q3_sales please",
        ),
        (
            "Write notes.md and talk.pptx",
            "Write Markdown file notes and PowerPoint presentation talk",
        ),
        ("Read https://docs.test/a/b?c=d now", "Read web page URL docs.test now"),
        ("Write to ann.lee@corp.test", "Write to email address"),
        ("List /srv/data/reports", "List folder reports"),
        (
            "Version 1.2 of Node and e.g. this",
            "Version 1.2 of Node and e.g. this",
        ),
        ("either/or stays", "either/or stays"),
    ],
)
def test_paths_and_addresses_are_spelt_out(text: str, said: str) -> None:
    assert spell_out(text) == said


@pytest.mark.parametrize(
    "run", ["a." * 20_000, "/" * 40_000, "." * 40_000, "a-" * 20_000, "\\a" * 20_000]
)
def test_long_runs_of_signs_are_read_in_time(run: str) -> None:
    assert spell_out(run)
    assert split_request(run) == ()


def test_identifiers_are_read_as_words() -> None:
    assert split_identifier("github.createPullRequest") == "github create Pull Request"
    assert split_identifier("read_PDFFile-v2") == "read PDF File v2"
