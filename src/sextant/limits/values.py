"""How much is too much, and the checks of single values that all others are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, datetime
from enum import StrEnum

from sextant.errors import InvalidInput, TooLarge


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is too much. Lengths are in characters, the rest are counts."""

    id: int = 1_000
    name: int = 2_000
    url: int = 8_000
    text: int = 200_000
    chunks: int = 20_000
    entities: int = 50_000
    relations: int = 100_000
    values: int = 1_000
    personas: int = 200  # of a caller: as many groups as Entra ID puts into a token
    metadata: int = 20_000
    batch: int = 10_000
    query: int = 20_000
    k: int = 10_000
    filter: int = 20_000
    seeds: int = 10_000
    hops: int = 3
    state: int = 4_000_000
    turns: int = 100
    threads: int = 10_000
    """Of one user; listing them all takes a hundred pages."""
    entry: int = 200_000
    """As long as the longest text, so that a tool can return any passage."""
    entries: int = 100_000
    """Of one thread: years of talk by one person."""
    entry_page: int = 1_000
    """200 MB at most, if every entry is as long as it may be."""
    schema: int = 1_000_000
    """Of one tool; the longest of 527 real MCP tools has 5,253 characters."""
    calls: int = 100
    """Of one session of tools: each pair of them is counted."""
    tools: int = 100_000
    messages: int = 1_000
    """Of one run: clients send the whole thread each time."""
    thread: int = 4_000_000
    """All messages of a run together, or all its states; as long as the state of a thread."""
    actions: int = 200
    """Of one client; providers take 128 tools."""


DEFAULT = Limits()


def label(what: str, value: str, limit: int) -> None:
    """Refuse what is no text, empty or too long."""
    if value and _is_plain(value, limit):
        return
    text(what, value, limit)
    if not value:
        raise InvalidInput(f"The {what} is empty.", "Give it at least one character.")


def _is_plain(value: object, limit: int) -> bool:
    """Whether nothing is wrong with a text, as with nearly all of the many that are looked at."""
    return type(value) is str and len(value) <= limit and value.isascii()


def labels(what: str, values: Collection[str], limits: Limits) -> None:
    """Refuse what is no collection of labels."""
    collected(f"{what}s", values, limits.values)
    for value in values:
        label(what, value, limits.id)


def collected(what: str, values: Collection[object], limit: int) -> None:
    """Refuse what is no collection, and one of too many."""
    if isinstance(values, str | bytes) or not isinstance(values, Collection):
        raise InvalidInput(f"The {what} are a {type(values).__name__}.", "Pass a set or a tuple.")
    at_most(what, len(values), limit)


def listed(what: str, values: Sequence[object], limit: int) -> None:
    """Refuse what has no order, and too much that has."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise InvalidInput(f"The {what} are a {type(values).__name__}.", "Pass a list or a tuple.")
    at_most(what, len(values), limit)


def each(what: str, values: Sequence[object], kind: type, limit: int) -> None:
    """Refuse what is no list of values of a kind, and one of too many."""
    listed(what, values, limit)
    for value in values:
        if not isinstance(value, kind):
            raise InvalidInput(
                f"One of the {what} is a {type(value).__name__}.", f"Pass {kind.__name__} only."
            )


def text(what: str, value: str, limit: int) -> None:
    """Refuse what is no text, too long, or holds half a character."""
    if _is_plain(value, limit):
        return
    if not isinstance(value, str):
        raise InvalidInput(f"The {what} is a {type(value).__name__}, not text.", "Pass a str.")
    at_most(f"characters in the {what}", len(value), limit)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InvalidInput(
                f"The {what} holds half of a surrogate pair, which is not text.",
                "Decode the source with errors='replace'.",
            ) from None


def moment(what: str, value: datetime | None) -> None:
    """Refuse a time without an offset, or one that cannot be reckoned with."""
    if value is None:
        return
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InvalidInput(
            f"The {what} time is no datetime with a time zone.", "Use UTC if in doubt."
        )
    if not 1 < value.year < MAXYEAR:
        raise InvalidInput(
            f"The {what} time is too close to the end of time.", "Leave out a time that is unknown."
        )


def one_of(what: str, value: str, known: type[StrEnum]) -> None:
    """Refuse a word that is not one of a few."""
    if value not in list(known):
        raise InvalidInput(
            f"The {what} {str(value)[:40]!r} is unknown.", f"Use one of {', '.join(known)}."
        )


def number(what: str, value: float, low: float, high: float) -> None:
    """Refuse what is no number between two."""
    if not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInput(
            f"The {what} is {_shown(value)}, which is out of range.",
            f"Use a number between {low:g} and {high:g}.",
        )


def between(what: str, value: int, low: int, high: int) -> None:
    """Refuse what is no whole number between two."""
    if not isinstance(value, int) or value < low:
        raise InvalidInput(
            f"The {what} is {_shown(value)}, which is out of range.",
            f"Use a whole number from {low} to {high}.",
        )
    if value > high:
        raise TooLarge(
            f"The {what} is {_shown(value)}; at most {high} is taken.", "Use a smaller number."
        )


def at_most(what: str, size: int, limit: int, hint: str = "Split it.") -> None:
    """Refuse more than there may be."""
    if size > limit:
        raise TooLarge(f"{size} {what} are too many; at most {limit} are taken.", hint)


def unique(what: str, values: Iterable[str]) -> None:
    """Refuse what comes twice."""
    doubled = [value for value, count in Counter(values).items() if count > 1]
    if doubled:
        raise InvalidInput(f"The {what} {doubled[0][:80]!r} comes twice.", "Give each its own.")


def _shown(value: object) -> str:
    """Return a value as a message tells it; Python does not write out the longest numbers."""
    return repr(value) if not isinstance(value, int) or abs(value) < 2**64 else "a huge number"
