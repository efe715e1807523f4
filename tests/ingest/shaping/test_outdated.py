"""A page that calls itself outdated counts for less, and no other page does because of it."""

import asyncio
from pathlib import Path

import pytest

from sextant.build import open_sextant
from sextant.ingest.read.given import Given
from sextant.ingest.read.prose.markdown import read_markdown
from sextant.ingest.shaping.outdated import own_word
from sextant.types import Answer, Ranked, Scope
from tests.ingest.folders import settings_at

PRICES = "# Prices\n\nA ticket costs 12 euros. Children pay 4 euros for a ticket.\n"
OLD = "# Tickets\n\n> Superseded on 1 March by the page Prices.\n\nA ticket costs 9 euros.\n"


def said(text: str) -> str:
    [reading] = read_markdown(Given("page.md", text.encode(), "markdown"))
    return own_word(reading)


@pytest.mark.parametrize(
    "text",
    [
        "# Price list 2023 (no longer valid)\n\nAdults pay 9 euros.",
        "# On-call rules (2022, superseded)\n\nOne person was on call.",
        "# Escalation policy - withdrawn\n\nCall Team Q.",
        "# Prices\n\n**This page is out of date.** See the new one.",
        "# Prices\n\n> Replaced by the price list of 2025.",
        "# Prices\n\nNote: these rules ended on 31 March 2025.",
        "# Prices\n\n*These fares have been replaced by the fares of 2025.*",
        "# Prices\n\nOwner: Sales\n\nNot in force any more: see the list of 2025.",
        "# Prices\n\nThis page is kept for reference only.",
        "# Prices\n\nDo not use. There is a new page.",
    ],
)
def test_a_page_that_calls_itself_outdated_at_once_is_heard(text: str) -> None:
    assert said(text)


@pytest.mark.parametrize(
    "text",
    [
        "# Prices\n\nValid since March. The list of 2023 is no longer valid.",
        "# Cards\n\nOutdated cards are collected at the desk.",
        "# Retired staff\n\nReplaced parts go back to the store.",
        "# Rules\n\nThese rules are agreed with the union and hold until the end of 2026.",
        "# Rules\n\nThe policy is simple.\n\nAsk first.\n\nThis page is out of date.",
        "# How pages are archived\n\nThis page is about archives.",
    ],
)
def test_what_speaks_of_other_things_that_are_outdated_is_not(text: str) -> None:
    assert not said(text)


def test_it_sinks_below_the_page_that_is_in_force_and_says_why(tmp_path: Path) -> None:
    async def run() -> tuple[Ranked, Answer]:
        async with await open_sextant(settings_at(tmp_path / "store")) as sextant:
            await sextant.ingest(Scope(), [str(pages)])
            text = "What does a ticket cost?"
            return await sextant.search(Scope(), text), await sextant.ask(Scope(), text)

    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "prices.md").write_text(PRICES)
    (pages / "tickets.md").write_text(OLD)
    ranked, answer = asyncio.run(run())
    notes = {hit.passage.document.title: hit.ledger.notes for hit in ranked.hits}
    assert any("outdated by its own word: Superseded on 1 March" in one for one in notes["Tickets"])
    assert not any("outdated" in one for one in notes["Prices"])
    assert "12 euros" in answer.verdict.key_points[0].text
    assert not any("9 euros" in point.text for point in answer.verdict.key_points)
