"""Make a question stand alone with the turns before it. Knows names by their shape only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sextant.ask.coreference.exchanges import Exchange, meant_by, strip_labels, subject_of
from sextant.ask.coreference.references import Means, Reference, references_in
from sextant.ask.dates import periods_in
from sextant.text.names import normal_name
from sextant.text.tokens import ASKING, AUXILIARY, PREPOSITIONS, Token, tokens_of
from sextant.text.written_names import Name, names_in
from sextant.types import Role, Turn

_MOST_TURNS, _LONGEST, _MOST_WORDS = 6, 4_000, 40
"""How many turns are looked at, how many characters of each, and words of what leaves out."""

_ANY_DAY = date(2000, 1, 1)
"""Where a date stands does not depend on today."""

_AMOUNT = re.compile(r"(?<![\d.,])\d[\d.,]{0,20} ?(?P<unit>[^\W\d]+|[%€$£])")
_OPENINGS = frozenset({"and", "but", "or", "so", "then", "also", "plus"})
_ABOUT = (("what", "about"), ("how", "about"), ("same", "for"), ("what", "of"))
_BARE = frozenset(
    {
        ("why",),
        ("why", "not"),
        ("why", "is", "that"),
        ("how",),
        ("how", "so"),
        ("how", "come"),
        ("how", "long"),
        ("how", "often"),
        ("how", "many"),
        ("how", "much"),
        ("since", "when"),
        ("until", "when"),
        ("by", "when"),
        ("when",),
        ("where",),
        ("who",),
        ("who", "else"),
        ("what", "else"),
        ("by", "whom"),
        ("for", "how", "long"),
        ("what", "for"),
        ("according", "to", "whom"),
    }
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question that stands alone, and what was replaced by what; nothing is an empty note."""

    text: str
    note: str = ""


def resolve(text: str, history: Sequence[Turn]) -> Resolved:
    """Return the question with what earlier turns say in place of what it leaves out."""
    exchanges: list[Exchange] = []
    for turn in history[-_MOST_TURNS:]:
        said = turn.text[:_LONGEST]
        if turn.role == Role.USER:
            exchanges.append(Exchange(_stand_alone(said, exchanges).text))
        elif turn.role == Role.ASSISTANT:
            question = exchanges.pop().question if exchanges else ""
            exchanges.append(Exchange(question, strip_labels(said)))
    return _stand_alone(text, exchanges)


def _stand_alone(text: str, exchanges: Sequence[Exchange]) -> Resolved:
    if not exchanges or len(text) > _LONGEST:
        return Resolved(text)
    words = [token for token in tokens_of(text) if token.is_word]
    found = _completed(text, words, exchanges) if 0 < len(words) <= _MOST_WORDS else None
    return found if found and found.note else Resolved(text)


def _completed(text: str, words: Sequence[Token], exchanges: Sequence[Exchange]) -> Resolved | None:
    start = _after_opening(words)
    if tuple(token.low for token in words[start:]) in _BARE:
        return _bare(text[words[start].start :], exchanges[-1])
    references = references_in(text)
    if references:
        filled = _filled(text, words[start].start, references, exchanges)
        leans = any(reference.means is not Means.TYPE for reference in references)
        return (
            filled if filled.note or not leans else _carried(text[words[start].start :], exchanges)
        )
    about = _about(words)
    if about:
        return _swapped(text[words[about].start :], exchanges)
    if start and not names_in(text):
        return _carried(text[words[start].start :], exchanges)
    return None


def _after_opening(words: Sequence[Token]) -> int:
    """Return how many words like ``and`` stand in front; one of them at least remains."""
    at = 0
    while at < len(words) - 1 and words[at].low in _OPENINGS:
        at += 1
    return at


def _about(words: Sequence[Token]) -> int:
    """Return where the new subject begins in ``what about X`` and ``and X``; 0 if in neither."""
    at = _after_opening(words)
    lows = [token.low for token in words]
    if tuple(lows[at : at + 2]) in _ABOUT:
        return at + 2 if len(words) > at + 2 else 0
    if not at or any(low in ASKING | AUXILIARY for low in lows[at:]):
        return 0
    while at < len(words) - 1 and lows[at] in PREPOSITIONS | {"the"}:
        at += 1
    rest = words[at:]
    return at if len(rest) <= 4 and not rest[0].low.endswith("ing") else 0


def _bare(asked: str, last: Exchange) -> Resolved:
    said = last.summary.rstrip(" .?!")
    if not said:
        return Resolved(asked)
    opening = asked.rstrip(" .?!")
    opening = opening[:1].upper() + opening[1:]
    return Resolved(f"{opening}: {said}?", f"“{opening}” is asked of “{said}”.")


def _swapped(new: str, exchanges: Sequence[Exchange]) -> Resolved:
    """Ask the last question again of something new."""
    new = new.rstrip(" .?!")
    question = next((each.question for each in exchanges[::-1] if each.question), "")
    if not question or not new:
        return Resolved(new)
    old = _counterpart(new, question)
    if old is None:
        return Resolved(f"{new}: {question}", f"The last question is asked of “{new}”.")
    text = f"{question[: old.start]}{new}{question[old.end :]}"
    return Resolved(text, f"“{old.text}” in the last question is replaced by “{new}”.")


def _counterpart(new: str, question: str) -> Name | None:
    """Return what of a question the new subject replaces: a date, an amount or a name by one."""
    dates = periods_in(question, _ANY_DAY) if periods_in(new, _ANY_DAY) else ()
    if dates:
        return Name(dates[0].text, dates[0].first, dates[0].last)
    amount = _AMOUNT.fullmatch(new)
    for found in _AMOUNT.finditer(question) if amount else ():
        if amount and found["unit"] == amount["unit"]:
            return Name(found.group(), *found.span())
    names = [name for name in names_in(question) if name.sure]
    if not names_in(f"the {new}"):
        return None
    words = set(normal_name(new).split())
    alike = [name for name in names if words & set(normal_name(name.text).split())]
    return next(iter((*alike, *names)), None)


def _filled(
    text: str, start: int, references: Sequence[Reference], exchanges: Sequence[Exchange]
) -> Resolved:
    """Put names in place of references; where a name does not fit, it goes in front."""
    pieces, notes, at = [], [], start
    topic = ""
    for reference in references:
        meant = meant_by(reference, exchanges)
        loose = reference.means is Means.TOPIC or (not meant and reference.points)
        meant = meant or (subject_of(exchanges) if loose else "")
        if not meant or reference.start < at:
            continue
        notes.append(f"“{reference.text}” is read as “{meant}”.")
        if loose:
            topic = topic or meant
            continue
        pieces += [text[at : reference.start], _in_place_of(reference, meant)]
        at = reference.end
    if not notes:
        return Resolved(text)
    filled = "".join((*pieces, text[at:]))
    if topic and not pieces:
        return Resolved(f"{topic}: {filled}", " ".join(notes))
    return Resolved(filled[:1].upper() + filled[1:], " ".join(notes))


def _in_place_of(reference: Reference, meant: str) -> str:
    if reference.means is Means.PLACE:
        return f"in {meant}"
    return f"{meant}'s" if reference.owns else meant


def _carried(rest: str, exchanges: Sequence[Exchange]) -> Resolved:
    subject = subject_of(exchanges)
    if not subject:
        return Resolved(rest)
    return Resolved(f"{subject}: {rest}", f"The question is read as one about “{subject}”.")
