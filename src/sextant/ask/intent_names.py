"""Whom a question names: those that are known, and those that are only written like a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from sextant.ask.intent_words import ASKING, BEING, HELPING, PEOPLE, nouns, verbs
from sextant.text.written_names import names_in
from sextant.types import Linked

_KNOWN = frozenset({"exact", "normalised"})


@dataclass(frozen=True, slots=True)
class Named:
    """A name as the question has it, and whom it means; nobody here bears an unknown one."""

    text: str
    start: int
    end: int
    entity_ids: tuple[str, ...] = ()


def names_of(text: str, linked: Sequence[Linked]) -> tuple[Named, ...]:
    """Return whom a text names, in order. A name that goes on beyond a known one is another."""
    known = list(_known(text, linked))
    written = [
        Named(one.text, one.start, one.end)
        for one in names_in(text)
        if one.sure and not any(_is_within(one.start, one.end, own) for own in known)
    ]
    unknown = [one for one in written if not _is_plain(one, known)]
    kept = [own for own in known if not any(_is_within(own.start, own.end, one) for one in unknown)]
    apart = [one for one in unknown if not any(_overlaps(one, own) for own in kept)]
    return tuple(sorted((*kept, *apart), key=lambda one: one.start))


def near_in(name: Named, linked: Sequence[Linked]) -> str:
    """Return who is called nearly so, by the links that are no exact ones; empty if nobody is."""
    for one in linked:
        if one.how not in _KNOWN and one.start < name.end and name.start < one.end:
            return one.name
    return ""


def _known(text: str, linked: Sequence[Linked]) -> Iterator[Named]:
    spans: dict[tuple[int, int], list[Linked]] = {}
    for one in linked:
        if one.how in _KNOWN and one.end > one.start:
            spans.setdefault((one.start, one.end), []).append(one)
    for (start, end), own in spans.items():
        best = max(one.score for one in own)
        ids = tuple(one.entity_id for one in own if one.score >= best)
        yield Named(text[start:end], start, end, ids)


def _is_plain(name: Named, known: Sequence[Named]) -> bool:
    """Whether all that a name has beside known ones are words of a question."""
    rest = name.text
    for own in known:
        if _overlaps(own, name):
            rest = rest.replace(own.text, " ")
    own_words = _words_of_questions()
    return rest != name.text and all(word in own_words for word in rest.lower().split())


@cache
def _words_of_questions() -> frozenset[str]:
    phrases = (*verbs(), *nouns(), *ASKING, *BEING, *HELPING, *PEOPLE, "if", "of", "for", "the")
    return frozenset(word for phrase in phrases for word in phrase.split())


def _is_within(start: int, end: int, other: Named) -> bool:
    return other.start <= start and end <= other.end


def _overlaps(one: Named, other: Named) -> bool:
    return one.start < other.end and other.start < one.end
