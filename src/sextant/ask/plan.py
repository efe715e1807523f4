"""From a question to at most three queries with their goals. Knows the words, not the store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sextant.ask.reading.wants import Wants, wants_of
from sextant.query import Filter

MOST_QUERIES = 3
WHOLE = "the question as it stands"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a filter can name: the tags and source types that exist."""

    tags: frozenset[str] = frozenset()
    source_types: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Goal:
    """A query that can stand alone: what it is for, what it may find, and what it wants."""

    text: str
    goal: str
    filter: Filter | None
    wants: Wants


@dataclass(frozen=True, slots=True)
class Plan:
    """The queries, the whole question first, and notes on how it was read."""

    queries: tuple[Goal, ...]
    notes: tuple[str, ...] = ()


def plan(
    text: str, now: datetime, filter: Filter | None = None, vocabulary: Vocabulary = Vocabulary()
) -> Plan:
    """Plan the queries for a question that stands alone."""
    return Plan((Goal(text, WHOLE, filter, wants_of(text, now.date())),))
