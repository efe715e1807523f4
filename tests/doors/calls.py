"""What is asked through every door, in words of no protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import sextant
from sextant.types import Weights

SAMPLE = Path(sextant.__file__).parent / "sample"
DAY = datetime(2026, 10, 31, tzinfo=UTC)
BOTH = (
    "Which steps does an engineer take to move captures to the standby line, "
    "and at which score does Fathom Risk decline a payment?"
)
"""What takes documents of two personas, of which neither sees those of the other."""
SERVICE_A = "component:default/service-a"


@dataclass(frozen=True)
class Ask:
    """A question to be answered; every door asks for a user of its own, so that none recalls more.

    What comes before it in the same conversation is asked first.
    """

    query: str
    before: tuple[str, ...] = ()
    filter: str = ""
    personas: tuple[str, ...] = ()
    locale: str = ""
    weights: Weights | None = None
    profile: str = ""
    top_k: int = 10
    rephrase: bool = False


@dataclass(frozen=True)
class Search:
    """A question whose passages are ranked; the filter says in OData what the filters say."""

    query: str
    top_k: int = 10
    candidates: int = 50
    personas: tuple[str, ...] = ()
    weights: Weights | None = None
    profile: str = ""
    filters: Mapping[str, object] | None = None
    filter: str = ""
    rephrase: bool = False


@dataclass(frozen=True)
class LookUp:
    """A name, of somebody of whom facts are wanted."""

    name: str
    personas: tuple[str, ...] = ()
    limit: int = 30


@dataclass(frozen=True)
class Expand:
    """Entities, and how far to go from them."""

    entity_ids: tuple[str, ...]
    hops: int = 1
    direction: str = "both"
    kinds: tuple[str, ...] = ()
    limit: int = 50
    personas: tuple[str, ...] = ()


Call = Ask | Search | LookUp | Expand

_WANTED = {
    "multi-hop-01",
    "multi-hop-09",
    "multi-hop-15",
    "one-hop-01",
    "one-hop-03",
    "one-hop-09",
    "one-hop-17",
    "one-hop-25",
    "date-01",
    "date-09",
    "trap-03",
    "trap-07",
    "comparison-01",
    "comparison-05",
    "unanswerable-01",
    "unanswerable-09",
}
"""Of the questions that may be tuned for; of the others nothing is read here."""

_ASKED: dict[str, Ask] = {
    "small talk": Ask("Hello there!"),
    "thanks in German": Ask("Danke!", locale="de-DE"),
    "German": Ask("Wem gehört Process X?"),
    "German, and German dates": Ask(
        "Wann beginnt und endet der nächste Change Freeze?", locale="de-DE"
    ),
    "unanswerable, told in German": Ask(
        "What was the revenue of Kestrelby in 2025?", locale="de-DE"
    ),
    "follow-up": Ask("And who repairs it?", before=("Who owns escalation for Service A?",)),
    "second follow-up": Ask(
        "Who leads that team?", before=("Which team owns Month-End Close?", "Hello!")
    ),
    "only runbooks": Ask(
        "What do I do when Service A is down?", filter="sourceType eq 'runbook'", top_k=5
    ),
    "nothing passes": Ask("Who owns Process X?", filter="tags/any(t: t eq 'no-such-tag')"),
    "as SRE": Ask("How do I fail over the ledger?", personas=("sre",)),
    "as SRE and finance": Ask(BOTH, personas=("finance", "sre")),
    "recent first": Ask(
        "After how many minutes is the Incident Command Desk called?",
        weights=Weights(0.4, 0.4, 0.1, 0.1),
    ),
    "in other words": Ask("Who owns Svc-A?", rephrase=True),
    "a filter that is none": Ask("Who owns Process X?", filter="tags/any("),
    "a profile that is not there": Ask("Who owns Process X?", profile="no such profile"),
    "not a word": Ask("   "),
}

_SEARCHED: dict[str, Search] = {
    "search": Search("Who owns escalation for Service A?"),
    "search for three": Search("refund approval", top_k=3),
    "search from few": Search("Harbor Queue messages", top_k=5, candidates=7),
    "search by weights": Search(
        "ledger failover", top_k=5, weights=Weights(0.25, 0.25, 0.25, 0.25)
    ),
    "search by filters": Search(
        "What do I do when Service A is down?",
        filters={
            "SourceTypes": ["runbook", "policy"],
            "ModifiedAfter": "2020-01-01T00:00:00Z",
        },
        filter="modified ge 2020-01-01T00:00:00Z"
        " and (sourceType eq 'runbook' or sourceType eq 'policy')",
    ),
    "search about an entity": Search(
        "escalation",
        filters={"EntityIds": [SERVICE_A]},
        filter=f"entityIds/any(e: e eq '{SERVICE_A}')",
    ),
    "search as finance": Search("At which score is a payment declined?", personas=("finance",)),
    "search as SRE and finance": Search(BOTH, top_k=50, personas=("finance", "sre")),
    "search in other words": Search("Who owns Svc-A?", rephrase=True),
    "search with a profile that is not there": Search("Service A", profile="no such profile"),
    "search for nothing": Search("   "),
}

_LOOKED_UP: dict[str, LookUp | Expand] = {
    "entity": LookUp("Service A"),
    "entity by an alias": LookUp("Svc-A", limit=5),
    "entity spelt wrong": LookUp("Harbr Queue"),
    "entity that is not there": LookUp("Xylophone Quarry"),
    "entity as SRE": LookUp("Team Y", personas=("sre",)),
    "entity as SRE and finance": LookUp("Team Y", personas=("finance", "sre")),
    "expansion": Expand((SERVICE_A,)),
    "expansion over two hops": Expand((SERVICE_A,), hops=2, direction="in", limit=20),
    "expansion by kind": Expand((SERVICE_A,), kinds=("depends_on",), hops=2),
}


def _sample() -> Iterator[tuple[str, Ask]]:
    with (SAMPLE / "questions.jsonl").open() as lines:
        for line in lines:
            own = json.loads(line)
            if own["split"] == "train" and own["id"] in _WANTED:
                yield (
                    own["id"],
                    Ask(own["question"], personas=tuple(own.get("persona", "").split())),
                )


CALLS: dict[str, Call] = {**dict(_sample()), **_ASKED, **_SEARCHED, **_LOOKED_UP}
SEARCHES = tuple(_SEARCHED)
WORDLESS = ("not a word", "search for nothing")
"""Protocols refuse these by their schemas, each in its own words."""
assert CALLS.keys() >= _WANTED
