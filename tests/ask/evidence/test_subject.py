"""What a sentence is told under that does not say of what it speaks."""

from __future__ import annotations

import pytest

from tests.ask.evidence.pieces import passage, said

TEAMS = "## Team Heron\n\nIt sits in Utrecht.\n\n## Team Gull\n\nIt rests in Delft."
ASKED = "Where are refunds retried?"


def test_it_is_the_section_where_that_is_one_of_what_the_page_lists() -> None:
    page = passage("t", TEAMS, "Teams")
    assert said("Who sits in Utrecht?", page) == ["Team Heron: It sits in Utrecht."]
    assert said("Who rests in Delft?", page) == ["Team Gull: It rests in Delft."]


def test_it_is_the_section_that_the_question_names() -> None:
    page = passage("o", TEAMS.replace("Team Heron", "Heron"), "Who we are")
    assert said("Where does Heron sit?", page, names=("Heron",))[0] == "Heron: It sits in Utrecht."


def test_it_is_the_section_whose_first_sentence_names_it() -> None:
    page = passage(
        "o", "## Ferry Desk\n\nThe Ferry Desk sells tickets. It rests in Delft.", "Places"
    )
    assert said("Who rests in Delft?", page) == ["Ferry Desk: It rests in Delft."]


def test_a_section_within_a_section_is_told_under_the_one_that_names_something() -> None:
    text = "## Team Heron\n\n### Office\n\nIt sits in Utrecht."
    assert said("Who sits in Utrecht?", passage("t", text, "Teams")) == [
        "Team Heron: It sits in Utrecht."
    ]


def test_the_headings_over_the_chunk_count_as_those_in_it() -> None:
    page = passage("t", "It sits in Utrecht.", "Teams", headings=("Teams", "Team Heron"))
    assert said("Who sits in Utrecht?", page) == ["Team Heron: It sits in Utrecht."]


@pytest.mark.parametrize(
    "heading", ["Retries", "When it fails", "Known Issues", "Failed Refunds", "All Quay Gateways"]
)
def test_a_heading_that_only_says_of_what_it_treats_gives_way_to_the_title(heading: str) -> None:
    page = passage("g", f"## {heading}\n\nIt retries refunds on the second line.", "Quay Gateway")
    assert said(ASKED, page) == ["Quay Gateway: It retries refunds on the second line."]
