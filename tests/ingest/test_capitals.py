"""Which capitalised words are names, and on which pages a capital says nothing."""

from __future__ import annotations

import pytest

from sextant.ingest.extract.capitals import has_noun_capitals, names_in, prose_in
from sextant.ingest.extract.claims import claims_of
from sextant.types import Chunk, Document, Entity

GERMAN = (
    "Wer ein Paket betreut, sollte die Liste der Fehler regelmäßig lesen und jeden Bericht mit "
    "einer kurzen Antwort versehen. Ist der Fehler behoben, so wird der Bericht mit der nächsten "
    "Version geschlossen. Für dringende Fälle gibt es eine eigene Adresse, an die sich jeder "
    "Betreuer wenden kann. Die Richtlinien für die Veröffentlichung stehen im zweiten Kapitel. "
    "Manche Pakete haben mehrere Betreuer, die sich die Arbeit teilen und ihre Entscheidungen auf "
    "der Liste treffen. Neue Betreuer Beginnen mit einem kleinen Paket."
)


def found_in(text: str) -> frozenset[str]:
    return names_in(prose_in(text))


def listed(text: str, title: str = "", stated: tuple[Entity, ...] = ()) -> set[str]:
    """Return the names that a page brings to a list."""
    document = Document("d", title, source_type="markdown")
    return {one.name for one in claims_of(document, (Chunk("d#c0", text),), stated) if one.listed}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("we met Simon Willison at the meeting.", "Simon Willison"),
        ("it runs on Google App Engine, too.", "Google App Engine"),
        ("the data is kept in PostgreSQL and nowhere else.", "PostgreSQL"),
        ("it is run by the Department of State.", "Department of State"),
        ("all is announced with [Event Hub](https://example.org).", "Event Hub"),
        ("code is on [GitHub](https://github.com).", "GitHub"),
    ],
)
def test_a_name_has_capitals_inside_of_a_sentence(text: str, name: str) -> None:
    assert name in found_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "Getting Started is easy.",
        "## Helm Value Precedence",
        "then click Submit Document to go on.",
        "as an Open Source project, we like Open Source and open source.",
        "it raises ValueError if nothing is there.",
        "see `Chart Museum` and nothing else.",
        "set it to None or to MAX_RETRIES.",
        "it was replicated in Chart 30 times.",
        "we need an Issue Owner for it.",
        "with TSDB Blocks compression it is smaller.",
    ],
)
def test_headings_buttons_code_and_common_words_are_no_names(text: str) -> None:
    assert not found_in(text)


def test_a_page_in_a_language_that_gives_nouns_capitals_brings_no_noun() -> None:
    assert has_noun_capitals(prose_in(GERMAN))
    assert not listed(GERMAN, "Betreuer")
    document = Document("d", "Betreuer", source_type="markdown")
    chunks = (Chunk("d#c0", GERMAN, headings=("Neue Betreuer",)),)
    assert [one.name for one in claims_of(document, chunks)] == ["Betreuer"]


def test_what_a_source_states_is_listed_on_every_page() -> None:
    stated = (Entity("component:paket", "paket-dienst"),)
    assert listed(GERMAN, "Betreuer", stated) == {"paket-dienst"}


def test_a_page_full_of_english_names_is_still_english() -> None:
    text = "the team of Service A asks Team Juniper and Team Granite to call Ledger Store. " * 20
    assert not has_noun_capitals(text)


def test_names_and_numbered_pages_are_listed_and_words_are_not() -> None:
    text = "we ask Simon Willison to read `max_retries` on a built-in page in Chart 30."
    assert listed(text, "INC-2025-052: A long outage") == {
        "Simon Willison",
        "INC-2025-052: A long outage",
    }
    assert listed("all developers are welcome.", "Developers") == set()
    assert listed("Open the app. Then ask in Slack, please.", "Slack") == {"Slack"}
