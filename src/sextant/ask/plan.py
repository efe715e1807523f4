"""From a question to at most three queries: itself, and its parts. Knows words, no store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.ask.parts import LONGEST, split_parts
from sextant.query import MAX_DEPTH, AllOf, Filter, walk

WHOLE = "the question as it stands"


@dataclass(frozen=True, slots=True)
class PartQuery:
    """A query that can stand alone: what it is for, and what it may find.

    A planner's filter in its own words is for an outside retriever, which may know other fields.
    """

    text: str
    goal: str
    filter: Filter | None = None
    outside_filter: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked, the whole question first, and notes on how it was read.

    Where a planner says what to search for, that finds the passages; it does not change what is
    asked.
    """

    queries: tuple[PartQuery, ...]
    notes: tuple[str, ...] = ()
    planned: tuple[PartQuery, ...] = ()

    @property
    def searched(self) -> tuple[PartQuery, ...]:
        """The queries that passages are searched for with."""
        return self.planned or self.queries


def plan(text: str, tree: Filter | None = None) -> Plan:
    """Plan the queries for a question that stands alone, within the caller's filter."""
    parts = split_parts(text)
    notes = (f"Has {len(parts)} parts.",) if parts else ()
    if len(text) > LONGEST:
        notes = ("Too long to be taken apart.",)
    whole = PartQuery(text, WHOLE, tree)
    return Plan((whole, *(PartQuery(part.text, part.goal, tree) for part in parts)), notes)


def narrowed(given: Filter | None, demands: Sequence[Filter]) -> Filter | None:
    """Return the caller's filter and every demand; never anything wider than the caller's."""
    own = tuple(dict.fromkeys(demands))
    if not own:
        return given
    held = given.parts if isinstance(given, AllOf) else () if given is None else (given,)
    parts = (*held, *own)
    joined = parts[0] if len(parts) == 1 else AllOf(parts)
    return joined if max(depth for _, depth in walk(joined)) <= MAX_DEPTH else given
