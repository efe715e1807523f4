"""How much of what is asked a text speaks of, and which answers it has. Weighs; ranks nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sextant.ask.evidence.asked import DATE, Asked
from sextant.ask.evidence.marking.fit import MEASURED, OF_TIME, new_names, new_values
from sextant.ask.evidence.read import Read, named
from sextant.ask.evidence.wording.force import falls, replaced
from sextant.ask.evidence.wording.values import DATE as CALENDAR
from sextant.ask.evidence.wording.values import values_in
from sextant.ask.reading.wants import Kind
from sextant.text.words import Words

_CODE = re.compile(r"`([^`]+)`|(?<!\w)[\w$-]*(?:[\w-][._/:@][\w-]|\d)[\w./:@%-]*")
_DIGIT = re.compile(r"\d")


def held(wanted: Asked, one: Read) -> frozenset[str]:
    """Return what a piece speaks of, of all that is asked; its title says of whom it speaks."""
    spelt = one.name + one.heading
    names = [own.forms[0] for own in wanted.names if any(form in spelt for form in own.forms)]
    dated = [DATE] if falls(one.unit.text, wanted.part.goal.wants.dates) > 0 else []
    return one.terms.intersection(wanted.terms).union(names, dated)


def spoken_of(wanted: Asked, text: str, words: Words) -> frozenset[str]:
    """Return what a text speaks of, of all that is asked: stems, and names by their first form."""
    spelt = named(text)
    names = [one.forms[0] for one in wanted.names if any(form in spelt for form in one.forms)]
    return frozenset(words.terms(text)).intersection(wanted.terms).union(names)


def share_of(wanted: Asked, new: Iterable[str]) -> float:
    """Return what some of all that is asked weighs beside the whole."""
    return sum(wanted.items[item] for item in sorted(new)) / wanted.weight if wanted.weight else 0.0


def answers_in(wanted: Asked, text: str) -> frozenset[str]:
    """Return the values or names in a text that can be the answer, without those it calls past."""
    kind = wanted.part.goal.wants.kind
    if kind in MEASURED or kind == Kind.PLACE:
        return frozenset(new_values(wanted, text)).difference(values_in(replaced(text), kind))
    if kind == Kind.PERSON:
        return frozenset(named(name) for name in new_names(wanted, text))
    return frozenset()


def answer_values(wanted: Asked, text: str) -> frozenset[str]:
    """Return what a text can be the answer by, without what it calls past and when it says so."""
    kind = wanted.part.goal.wants.kind
    if kind in MEASURED or kind == Kind.PLACE:
        bare = text if kind in OF_TIME else CALENDAR.sub(_blank_unless_number, text)
        past = values_in(replaced(bare), kind)
        if found := frozenset(new_values(wanted, bare)).difference(past):
            return found
    names = {named(name).strip() for name in new_names(wanted, text) if not _opens(name, text)}
    if kind == Kind.PERSON:
        return frozenset(names)
    undated = CALENDAR.sub(" ", text)
    codes = (one.group(1) or one.group() for one in _CODE.finditer(undated))
    found = frozenset(one.strip(".:").lower() for one in codes if named(one) not in wanted.spelt)
    if kind in MEASURED:
        return frozenset(one for one in found if _DIGIT.search(one))
    return found | names


def _blank_unless_number(day: re.Match[str]) -> str:
    """Return a day as nothing; what is a number alone may be no year."""
    return day.group() if day.group().isdigit() else " "


def _opens(name: str, text: str) -> bool:
    """Whether a name is one word that may only be written so because it opens the sentence."""
    return " " not in name and name.isalpha() and text.lstrip("\"'*`([").startswith(name)
