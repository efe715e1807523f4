"""Sentences made of a passage's own words that say something else. Knows no check.

What comes out must be false whatever else the passage says, so each rule takes only plain cases.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from sextant.text.prose.units import Unit

_NAME = r"[A-Z]\w*(?: [A-Z0-9]\w*)+"
_TOLD = re.compile(rf"((?:The )?{_NAME}) ((?:is|was|has|depends|runs|keeps|[a-z]+s)\b .+\.)$")
_FIRST = re.compile(r"((?:The )?[A-Z]\w*(?: [A-Z0-9]\w*)*) (?=(?:is|was|are|has|must|can|will)\b)")
_NOUNS = re.compile(r"\b[Tt]he ([a-z]{4,})\b(?= (?!and|or|of)).{3,60}?\bthe ([a-z]{4,})\b(?! of)")
_DIRECTED = re.compile(r"\bfrom ((?:the )?[\w:]+) to ((?:the )?[\w:]+)")
_FIGURE = re.compile(r"(?<![\w.:-])\d+(?![\w:-]|\.\d)")
_BOUNDS = (
    ("within", "after"),
    ("up to", "over"),
    ("at most", "at least"),
    ("at least", "at most"),
    ("more than", "less than"),
    ("after", "within"),
    ("below", "above"),
    ("until", "from"),
)
_HEDGES = re.compile(r"\b(?:only|probably|usually may|might|may|unless) ")
_CONDITION = re.compile(r"(?:If|Unless|When) [^,]{8,}, ([a-z][^,;]{15,})\.$")
_LEANING = re.compile(r"(?:It|This|That|They|These|He|She|There|The)\b")


def twisted(unit: Unit, units: Sequence[Unit], draw: random.Random) -> Iterator[tuple[str, str]]:
    """Yield how a sentence was twisted, and what came out."""
    text = unit.text
    for made, rule in _RULES.items():
        told = rule(text)
        if told and told != text:
            yield made, told
    title = unit.passage.document.title
    first = _FIRST.match(text)
    if first and title and not _LEANING.match(text) and not _alike(first[1], title):
        yield "title as subject", f"{title} {text[first.end() :]}"
    own = set(_FIGURE.findall(text))
    beside = sorted({one for other in units for one in _FIGURE.findall(other.text)} - own)
    if own and beside:
        yield "number from beside", _FIGURE.sub(draw.choice(beside), text, count=1)


def of_two(unit: Unit, others: Sequence[Unit]) -> Iterator[str]:
    """Yield what one page speaks of with what another says of something else."""
    mine = _TOLD.match(unit.text)
    theirs = [found for one in others if (found := _TOLD.match(one.text))]
    if mine and theirs and not _alike(mine[1], theirs[0][1]) and mine[2] != theirs[0][2]:
        yield f"{mine[1]} {theirs[0][2]}"


def _alike(one: str, other: str) -> bool:
    return bool(set(one.lower().split()) & set(other.lower().split()))


def _nouns_turned(text: str) -> str:
    found = _NOUNS.search(text)
    if not found or found[1] == found[2] or " by " in found.group():
        return ""
    (a, b), (c, d) = found.span(1), found.span(2)
    return text[:a] + found[2] + text[b:c] + found[1] + text[d:]


def _directions_turned(text: str) -> str:
    return _DIRECTED.sub(r"from \2 to \1", text, count=1)


def _numbers_turned(text: str) -> str:
    found = list(_FIGURE.finditer(text))
    if len(found) < 2 or found[0].group() == found[1].group():
        return ""
    (a, b), (c, d) = found[0].span(), found[1].span()
    return text[:a] + found[1].group() + text[b:c] + found[0].group() + text[d:]


def _other_bound(text: str) -> str:
    for mine, other in _BOUNDS:
        if re.search(rf"\b{mine} \d", text):
            return re.sub(rf"\b{mine} (?=\d)", f"{other} ", text, count=1)
    return ""


def _hedge_dropped(text: str) -> str:
    return _HEDGES.sub("", text, count=1)


def _condition_dropped(text: str) -> str:
    found = _CONDITION.match(text)
    return f"{found[1][0].upper()}{found[1][1:]}." if found else ""


def _only(text: str) -> str:
    return f"Only {text}" if re.match(_NAME, text) and "only" not in text else ""


def _future(text: str) -> str:
    return re.sub(r" (?:is|are) (?=[a-z]+ed\b)", " will be ", text, count=1)


def _not_behind(text: str) -> str:
    return f"{text[:-1]}, not." if text.endswith(".") else ""


_RULES = {
    "nouns turned": _nouns_turned,
    "directions turned": _directions_turned,
    "numbers turned": _numbers_turned,
    "other bound": _other_bound,
    "hedge dropped": _hedge_dropped,
    "condition dropped": _condition_dropped,
    "only": _only,
    "future": _future,
    "not behind it": _not_behind,
}
