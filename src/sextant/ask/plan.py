"""From a question to at most three queries with their goals. Knows the words, not the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sextant.ask.planning.constraints import Vocabulary, constraints_in
from sextant.ask.planning.parts import Part, parts_of
from sextant.ask.reading.comparisons import comparison_in
from sextant.ask.reading.wants import Wants, wants_of
from sextant.query import MAX_DEPTH, AllOf, Filter, walk

__all__ = ["Goal", "Plan", "Vocabulary", "narrowed", "plan"]

MOST_PARTS = 2
NOTHING_KNOWN = Vocabulary()
_LONGEST = 2_000
"""Characters of a question that is taken apart; a longer one is a text rather than a question."""

WHOLE = "the question as it stands"


@dataclass(frozen=True, slots=True)
class Goal:
    """A query that can stand alone: what it is for, what it may find, and what it wants.

    A planner's filter in its own words is for an outside retriever, which may know other fields.
    """

    text: str
    goal: str
    filter: Filter | None
    wants: Wants
    outside_filter: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked, the whole question first, and notes on how it was read.

    Where a planner says what to search for, that finds the passages; it does not change what is
    asked.
    """

    queries: tuple[Goal, ...]
    notes: tuple[str, ...] = ()
    planned: tuple[Goal, ...] = ()

    @property
    def searched(self) -> tuple[Goal, ...]:
        """The queries that passages are searched for with."""
        return self.planned or self.queries


def plan(
    text: str,
    now: datetime,
    filter: Filter | None = None,  # noqa: A002 - the name that a caller expects
    vocabulary: Vocabulary = NOTHING_KNOWN,
) -> Plan:
    """Plan the queries for a question that stands alone."""
    today = now.date()
    demands = constraints_in(text[:_LONGEST], today, vocabulary)
    allowed = narrowed(filter, [demand.filter for demand in demands])
    parts, note = _parts(text)
    notes = [f"Narrowed by “{demand.words}”." for demand in demands]
    if demands and allowed == filter:
        notes = ["The filter is too deep to be narrowed by what the question says."]
    goals = [Goal(text, WHOLE, allowed, wants_of(text[:_LONGEST], today))]
    goals += [Goal(part.text, part.goal, allowed, wants_of(part.text, today)) for part in parts]
    return Plan(tuple(goals), (*notes, *([note] if note else ())))


def narrowed(given: Filter | None, demands: Sequence[Filter]) -> Filter | None:
    """Return the caller's filter and every demand; never anything wider than the caller's."""
    own = tuple(dict.fromkeys(demands))
    if not own:
        return given
    held = given.parts if isinstance(given, AllOf) else () if given is None else (given,)
    parts = (*held, *own)
    joined = parts[0] if len(parts) == 1 else AllOf(parts)
    return joined if max(depth for _, depth in walk(joined)) <= MAX_DEPTH else given


def _parts(text: str) -> tuple[Sequence[Part], str]:
    if len(text) > _LONGEST:
        return (), "Too long to be taken apart."
    compared = comparison_in(text)
    if compared:
        parts = (
            Part(compared.of_first, f"about {compared.first}"),
            Part(compared.of_second, f"about {compared.second}"),
        )
        return parts, f"Compares “{compared.first}” with “{compared.second}”."
    found = parts_of(text)
    note = f"Has {len(found)} parts." if found else ""
    if len(found) > MOST_PARTS:
        rest = found[MOST_PARTS - 1 :]
        joined = Part(" ".join(part.text for part in rest), "; ".join(part.goal for part in rest))
        found = (*found[: MOST_PARTS - 1], joined)
    return found, note
