"""The words by which questions ask for relations, as they are looked up. Knows no clause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from sextant.text.relation_kinds import participle, relation_kinds, verb_forms


@dataclass(frozen=True, slots=True)
class Saying:
    """What a phrase says: a kind, and whether its subject is the source of the relation.

    Some say it only where it is asked who does it.
    """

    kind: str
    from_source: bool
    of_people: bool = False


@dataclass(frozen=True, slots=True)
class Wording:
    """A question of its own form, for the target of a relation or for its source."""

    pattern: re.Pattern[str]
    kind: str
    out: bool


Phrases = dict[str, tuple[Saying, ...]]


@cache
def verbs() -> Phrases:
    """Return what verbs say of their subject: ``owns``, ``depend on``."""
    return _gathered((form, saying) for phrase, saying in _verbs() for form in verb_forms(phrase))


@cache
def states() -> Phrases:
    """Return what stands behind a verb of being: ``owned by``, ``part of``, ``responsible for``."""
    passive = (
        (f"{participle(phrase)} by", Saying(saying.kind, not saying.from_source))
        for phrase, saying in _verbs()
    )
    plain = (
        (phrase, Saying(name, from_source))
        for name, kind in relation_kinds().items()
        for phrases, from_source in ((kind.asked.state, True), (kind.asked.state_of, False))
        for phrase in phrases
    )
    return _gathered((*passive, *plain))


def _verbs() -> Iterator[tuple[str, Saying]]:
    for name, kind in relation_kinds().items():
        asked = kind.asked
        yield from ((phrase, Saying(name, from_source=True)) for phrase in asked.does)
        yield from ((phrase, Saying(name, from_source=False)) for phrase in asked.done)
        yield from ((phrase, Saying(name, False, True)) for phrase in asked.done_by_people)


@cache
def nouns() -> Phrases:
    """Return the nouns of a relation; from the source, it is the target that bears the noun."""
    return _gathered(
        (phrase, Saying(name, from_source))
        for name, kind in relation_kinds().items()
        for phrases, from_source in ((kind.asked.noun, True), (kind.asked.noun_of, False))
        for phrase in phrases
    )


@cache
def wordings() -> tuple[Wording, ...]:
    """Return the questions that have a form of their own."""
    return tuple(
        Wording(re.compile(text.replace("{}", r"§(?P<name>\d+)")), name, out)
        for name, kind in relation_kinds().items()
        for texts, out in ((kind.asked.out, True), (kind.asked.into, False))
        for text in texts
    )


def _gathered(pairs: Iterable[tuple[str, Saying]]) -> Phrases:
    found: dict[str, dict[Saying, None]] = {}
    for phrase, saying in pairs:
        found.setdefault(phrase, {})[saying] = None
    return {phrase: tuple(own) for phrase, own in found.items()}


def word_set(text: str) -> frozenset[str]:
    """Return the phrases of a text, which commas part."""
    return frozenset(one.strip() for one in text.replace("\n", " ").split(",") if one.strip())


ASKING = word_set("who, whom, what, which, anything, anybody, anyone, everything, everybody")
PEOPLE = word_set(
    "who, whom, team, teams, person, people, squad, group, department, engineer, manager, somebody"
)
BEING = word_set("is, are")
HELPING = word_set("does, do, can, could, would, will, should, must, may")
ASKERS = word_set("i, we, you, one, they, people, somebody, someone")
SORTS = word_set(
    "service, services, system, systems, process, processes, team, teams, component, components, "
    "api, app, application, tool, job, database, queue, person, product, squad, library"
)
"""Nouns that stand beside a name: ``the Service A service``."""

ANY_SORT = word_set(
    "thing, things, one, ones, else, all, other, others, other things, of our systems, parts, stuff"
)
"""Nouns that ask for no sort of thing."""

FAILING = word_set(
    "fails, fail, failed, failing, is failing, is down, goes down, went down, going down, breaks, "
    "breaks down, is broken, stops, stops working, stops running, stops responding, crashes, "
    "dies, is dead, is unavailable, becomes unavailable, is offline, goes offline, is unreachable, "
    "is not available, is gone, goes away, disappears, is out, has outage, had outage, is having "
    "outage, falls over, is not running, is not working, does not work, is not there, were to "
    "fail, would fail, should fail, is lost, is having problems, has problems, has issues, is "
    "having issues, is on fire, is stuck, stands still"
)
"""What is said of a thing that no longer does its work."""

TOPICS = word_set("for, about, regarding, re, concerning, on, of, with")
"""What stands before the name of what a question is about."""

OUTAGE = word_set("outage, outages, failure, downtime, crash, incident, incidents, problem")
BREAKING = word_set(
    "breaks, break, breaks too, stops, stop, stops working, stop working, stops functioning, "
    "stop functioning, stops running, stop running, fails, fail, goes down, go down, goes "
    "with it, is affected, are affected, gets affected, get affected, affected, is impacted, "
    "are impacted, gets impacted, impacted, is hit, are hit, is broken, are broken, suffers, "
    "suffer, breaks down, no longer works, no longer work, cannot run, cannot work, is "
    "disrupted, are disrupted, is at risk, are at risk, is hurt, are hurt, is taken down, is "
    "brought down, falls over, dies, die, is interrupted, are interrupted, stands still, "
    "stand still, is dead, is down, are down"
)
"""What is asked of the things that need something that no longer works."""

TURNING_TO = word_set(
    "call, contact, page, phone, ring, notify, alert, ask, reach, inform, ping, wake, wake up, "
    "turn to, reach out to, go to, get hold of, speak to, talk to, speak with, talk with, tell"
)
ESCALATING = word_set("escalate, escalate to")
BEING_TURNED_TO = word_set(
    "is called, gets called, is paged, gets paged, is notified, gets notified, is woken, gets "
    "woken, gets woken up, is woken up, is alerted, gets alerted, is contacted, gets called out"
)
