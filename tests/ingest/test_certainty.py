"""Which sentences surely say a relation: what is told, and what only leads on."""

from __future__ import annotations

import pytest

from sextant.ingest.extract.index import Names
from sextant.ingest.extract.link import link
from sextant.ingest.extract.mentions import Finder
from sextant.ingest.keeping.draft import draft_of
from sextant.retrieval.expand import WEAK, is_sure
from sextant.types import Chunk, Document, Entity

STATED = (
    Entity("a", "Service A", "service"),
    Entity("b", "ledger-store", "resource"),
    Entity("y", "Team Y", "team"),
)
TITLES = ("Harbor Queue", "Alertmanager", "Hashicorp", "Google", "Python 3", "Built-in")


def told(text: str, title: str = "") -> set[tuple[str, str, str]]:
    """Return what a text surely says."""
    return _said(text, title, sure=True)


def untold(text: str, title: str = "") -> set[tuple[str, str, str]]:
    """Return what a text only seems to say."""
    return _said(text, title, sure=False)


def _said(text: str, title: str, *, sure: bool) -> set[tuple[str, str, str]]:
    names = Names()
    page = draft_of(Document("d", title, source_type="markdown"), (Chunk("d#c0", text),))
    others = [draft_of(Document(one, one, source_type="markdown"), ()) for one in TITLES]
    for one in (page, draft_of(Document("catalogue"), (), STATED), *others):
        names.add(one.claims, frozenset())
    seen = names.seen_by(frozenset())
    unit = link(page, seen, Finder(seen.sought()))
    return {
        (one.source, one.kind, one.target)
        for one in unit.relations
        if one.kind not in WEAK and is_sure(one) == sure
    }


@pytest.mark.parametrize(
    "text",
    [
        "Alertmanager uses [Hashicorp](https://example.org) to gossip.",
        "The Alertmanager uses Hashicorp.",
        "It is fast, and Alertmanager uses the Hashicorp library for it.",
        "- **Alertmanager** uses Hashicorp, which is fast.",
    ],
)
def test_a_plain_clause_between_two_names_is_told(text: str) -> None:
    assert told(text) == {("alertmanager", "uses", "hashicorp")}


@pytest.mark.parametrize(
    "text",
    [
        "Alertmanager relies on Google's Protocol Buffers.",
        "Alertmanager requires Python 3.6 or later.",
        "Alertmanager requires Google and Hashicorp approvals.",
        "If an Alertmanager uses Hashicorp, it is fast.",
        "We assume that Alertmanager uses Hashicorp.",
        "Versions of Alertmanager that use Hashicorp are slow.",
        "Alertmanager pages hosted on Google are slow.",
        "Alertmanager hosted on Google is slow.",
        "Alertmanager, uses: Hashicorp",
        "The `Alertmanager` uses `Hashicorp`.",
        "Alertmanager runs Hashicorp.",
        "the alertmanager sleeps. Alertmanager uses Hashicorp.",
    ],
)
def test_a_part_of_a_phrase_a_condition_and_code_are_not_told(text: str) -> None:
    assert not told(text)


def test_what_is_not_told_still_leads_on() -> None:
    assert untold("Alertmanager relies on Google's Protocol Buffers.") == {
        ("alertmanager", "depends_on", "google")
    }


def test_a_list_is_told_as_far_as_it_goes_on() -> None:
    text = "Service A depends on ledger-store, Harbor Queue and Hashicorp."
    ends = {"b", "harbor-queue", "hashicorp"}
    assert told(text) == {("a", "depends_on", end) for end in ends}
    text = "Service A depends on Harbor Queue, Hashicorp did not."
    assert told(text) == {("a", "depends_on", "harbor-queue")}
    assert untold(text) == {("a", "depends_on", "hashicorp")}


@pytest.mark.parametrize("line", ["Owner: Team Y", "Owned by Team Y.", "| Owner | Team Y |"])
def test_a_line_that_names_the_owner_of_its_page_is_told(line: str) -> None:
    assert told(line, "Harbor Queue") == {("harbor-queue", "owned_by", "y")}


@pytest.mark.parametrize(
    "line", ["Use Hashicorp instead.", "It requires Hashicorp.", "Due to Google."]
)
def test_what_a_page_seems_to_say_of_itself_is_not_told(line: str) -> None:
    assert not told(line, "Harbor Queue")
    assert untold(line, "Harbor Queue")


def test_a_page_of_something_stated_tells_of_it() -> None:
    assert told("It depends on ledger-store.", "Service A") == {("a", "depends_on", "b")}
    assert not told("If it depends on ledger-store, it stops.", "Service A")


def test_two_that_are_stated_need_not_open_the_clause() -> None:
    assert told("From there on Service A relies on ledger-store for all of it.")
    assert not told("Let us see whether Service A relies on ledger-store for all of it.")
    assert not told("Team Y owns the process; Service A owns the rest.")


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("Incidents of Service A escalate to Team Y.", ("a", "escalates_to", "y")),
        ("All outages of Service A escalate to Team Y.", ("a", "escalates_to", "y")),
        (
            "If Service A is down, escalation goes to Team Y after an hour.",
            ("a", "escalates_to", "y"),
        ),
        ("Team Y is led by Harbor Queue.", ("y", "led_by", "harbor-queue")),
        ("Harbor Queue has led Team Y since 3 May 2024.", ("y", "led_by", "harbor-queue")),
    ],
)
def test_plain_sentences_on_escalation_and_lead_are_told(
    text: str, edge: tuple[str, str, str]
) -> None:
    assert told(text) == {edge}


@pytest.mark.parametrize(
    "text",
    [
        "Incidents of Service A are owned by Team Y.",
        "Incidents of Service A do not escalate to Team Y.",
        "If incidents of Service A escalate to Team Y, write it down.",
    ],
)
def test_what_is_said_of_incidents_is_not_said_of_the_service(text: str) -> None:
    assert told(text) == set()
