"""Richness: what says much scores high, what says little low, and nothing breaks it."""

from hypothesis import given
from hypothesis import strategies as st

from sextant.retrieval.scoring.richness import richness
from sextant.types import Chunk

FULL = (
    "Team Y owns escalation for Service A. A page goes to the duty engineer at once; after 15 "
    "minutes the Incident Command Desk is called, after 45 minutes the head of Settlement. Every "
    "step is written down in the incident channel with its time, because the weekly review of "
    "outages counts from the first page. On 12 May 2026 the limit was lowered from 20 minutes, "
    "since two incidents in March had waited for somebody who was asleep and nobody else knew."
)


def rich(text: str, *headings: str) -> float:
    return richness(Chunk("c", text, headings=headings))


def test_a_full_passage_is_richer_than_a_fragment() -> None:
    assert rich(FULL, "Escalation") > 0.7
    assert rich("see below") < 0.25
    assert rich("") == rich(" \n ") == rich("--- ***") == 0.0


def test_repeating_oneself_and_lists_of_links_are_poor() -> None:
    assert rich("menu home about " * 40) < 0.2
    links = "\n".join(f"- [Page {at}](https://example.test/page/{at})" for at in range(30))
    assert rich(links) < 0.1


def test_boilerplate_is_poorer_than_the_same_without_it() -> None:
    assert rich(f"{FULL} Copyright. Subscribe.") <= rich(FULL)
    footer = "Copyright 2026 Kestrelby. Cookies and sitemap. Subscribe to our news."
    assert rich(footer) < rich("Refunds over 500 euros need two signatures of Team Granite.")


def test_scripts_without_spaces_are_not_poor_for_it() -> None:
    assert rich("東京都は日本の首都であり、人口は約千四百万人で、二十三の特別区からなる。") > 0.2


@given(st.text(max_size=600), st.integers(0, 50), st.lists(st.text(max_size=9), max_size=2))
def test_any_text_gets_a_score_between_0_and_1(text: str, times: int, headings: list[str]) -> None:
    score = rich(text * times, *headings)
    assert 0.0 <= score <= 1.0
    assert rich(text * times, *headings) == score
