"""Sentences with what they cite: said by it, or not. Made from the sample knowledge, by rules.

Whether a document is for training or for testing is decided by its id.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

from bench.grounded.twists import of_two, twisted
from sextant.ask.evaluate.cases import Case
from sextant.ask.grounding.capitals import capitalised_names
from sextant.text.prose.sentences import sentence_spans
from sextant.text.prose.units import Unit, units_of
from sextant.types import Passage

_SYNONYMS = {
    "at most": "up to",
    "begins": "starts",
    "ends": "finishes",
    "needs": "requires",
    "large": "big",
    "sends": "delivers",
    "checks": "verifies",
    "shows": "displays",
    "keeps": "retains",
    "people": "persons",
    "choose": "select",
    "help": "assist",
    "change": "modify",
    "because": "since",
    "must": "has to",
    "called": "phoned",
    "written": "recorded",
    "old": "former",
    "new": "recent",
    "tells": "informs",
    "asks": "requests",
    "fails": "breaks",
    "page": "article",
    "every": "each",
    "quickly": "fast",
    "only": "just",
}
_OPPOSED = {
    "before": "after",
    "after": "before",
    "more": "less",
    "maximum": "minimum",
    "first": "last",
    "always": "never",
    "must": "may",
    "at most": "at least",
    "daily": "weekly",
    "up": "down",
    "open": "closed",
    "stops": "starts",
    "fails": "succeeds",
    "allowed": "forbidden",
}
_UNITS = {"minutes": "hours", "hours": "days", "seconds": "minutes", "days": "weeks"}
_ADDED = (
    "and is approved by the board",
    "and the password is printed on the badge",
    "which costs nothing extra",
    "and customers pay a penalty",
    "because the vendor asked for it",
    "and refunds are sent abroad",
    "although nobody tested it",
    "and can be switched off safely",
)
_FRONTED = re.compile(r"((?:If|When|After|Before|Once|While)\b[^,]{8,}), ([a-z].*)\.$")
_OWNED = re.compile(
    r"^((?:The )?[A-Z]\w*(?: [A-Z]\w*)*|It) is owned by ([A-Z]\w*(?: [A-Z]\w*)*)\.$"
)
_CONDITION = re.compile(r"(?:If|When|After|Before|Once|While|Should|Is|Does|For)\b")
_NUMBER = re.compile(r"(?<![\w.:-])\d+(?![\w.:-]|\.\d)")
_VERB = re.compile(r"\b(is|are|was|were|must|may|can|will|should|does|do)\b(?! not)")


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence, the passages that it cites, how it was made, and whether they say it."""

    text: str
    cited: tuple[Passage, ...]
    made: str
    is_said: bool
    is_test: bool


def is_test(name: str) -> bool:
    """Whether what bears this name is kept for testing."""
    return crc32(name.encode()) % 2 == 0


def pairs_of(passages: Sequence[Passage], cases: Sequence[Case]) -> list[Pair]:
    """Return the pairs, the same every time."""
    told = [pair for one in passages for pair in _of_passage(one, passages)]
    return told + [pair for case in cases for pair in _of_case(case, passages)]


def _of_passage(passage: Passage, others: Sequence[Passage]) -> Iterator[Pair]:
    units = [one for one in units_of(passage) if len(one.text.split()) >= 6]
    for at, unit in enumerate(units):
        draw = random.Random(f"{passage.chunk.id} {at}")
        said = dict(_said(unit, units[at + 1 :], draw))
        for made, text in said.items():
            yield Pair(text, (passage,), made, True, is_test(passage.document.id))
        for made, text in _unsaid(unit, units, others, draw):
            if text not in said.values():
                yield Pair(text, (passage,), made, False, is_test(passage.document.id))
        other = draw.choice(others)
        if is_test(other.document.id) == is_test(passage.document.id):
            for text in of_two(unit, units_of(other)):
                if any(text in one.chunk.text for one in (passage, other)):
                    continue
                yield Pair(
                    text, (passage, other), "of two pages", False, is_test(other.document.id)
                )


def _of_case(case: Case, passages: Sequence[Passage]) -> Iterator[Pair]:
    """Yield an answer as a person wrote it, beside the passages that have its quotes."""
    cited = tuple(
        one
        for one in passages
        if (quote := case.quotes.get(one.document.id.removeprefix("knowledge/")))
        and any(part in one.chunk.text for part in ([quote] if isinstance(quote, str) else quote))
    )
    for start, end in sentence_spans(case.answer) if cited else ():
        text = case.answer[start:end]
        yield Pair(text, cited, "a person's answer", True, case.split == "test")


def _said(unit: Unit, after: Sequence[Unit], draw: random.Random) -> Iterator[tuple[str, str]]:
    text, title = unit.text, unit.passage.document.title
    yield "verbatim", text
    yield "reported", f"According to the sources, {_small(text)}"
    if re.match(r"It ", text) and title:
        yield "named", f"{title}{text[2:]}"
    if fronted := _FRONTED.match(text):
        yield "turned round", f"{_capital(fronted[2])} {_small(fronted[1])}."
    if owned := _OWNED.match(text):
        yield "active", f"{owned[2]} owns {_small(owned[1])}."
    if len(words := _swapped(text, _SYNONYMS, draw)) and words != text:
        yield "other words", words
    clause = re.split(r", |; | \(", text)[0]
    if clause != text and len(clause.split()) >= 6 and not _CONDITION.match(clause):
        yield "shortened", clause.rstrip(".") + "."
    if after and text.endswith("."):
        yield "joined", f"{text[:-1]}, and {_small(after[0].text)}"


def _unsaid(
    unit: Unit, units: Sequence[Unit], others: Sequence[Passage], draw: random.Random
) -> Iterator[tuple[str, str]]:
    text = unit.text
    if _NUMBER.search(text):
        yield "other number", _NUMBER.sub(lambda own: str(int(own[0]) + 7), text, count=1)
    measured = _swapped(text, _UNITS, draw)
    if measured != text:
        yield "other unit", measured
    yield from _renamed(unit, units, others, draw)
    if _VERB.search(text):
        yield "denied", _VERB.sub(r"\1 not", text, count=1)
    if " not " in text:
        yield "no longer denied", text.replace(" not ", " ", 1)
    opposed = _swapped(text, _OPPOSED, draw)
    if opposed != text:
        yield "opposed", opposed
    yield "added to", f"{text.rstrip('.')} {draw.choice(_ADDED)}."
    yield from twisted(unit, units, draw)
    yield from _strange(unit, units, others, draw)


def _renamed(
    unit: Unit, units: Sequence[Unit], others: Sequence[Passage], draw: random.Random
) -> Iterator[tuple[str, str]]:
    names = [name for name in capitalised_names(unit.text) if " " in name and " and " not in name]
    if not names:
        return
    near = sorted({name for one in units for name in capitalised_names(one.text) if " " in name})
    near = [name for name in near if name not in unit.text and name not in unit.under]
    if near:
        yield "name from beside", unit.text.replace(names[0], draw.choice(near))
    strange = draw.choice(others).document.title
    if strange not in unit.passage.chunk.text:
        yield "strange name", unit.text.replace(names[0], strange)
    if len(set(names)) == 2 and re.search(r" (?:depends|calls|owns|leads|replaces) ", unit.text):
        one, other = dict.fromkeys(names)
        turned = unit.text.replace(one, "\0").replace(other, one).replace("\0", other)
        yield "names turned", turned


def _strange(
    unit: Unit, units: Sequence[Unit], others: Sequence[Passage], draw: random.Random
) -> Iterator[tuple[str, str]]:
    """Yield what another passage says, and what is half of this one and half of something else."""
    other = draw.choice([one for one in others if one.document.id != unit.passage.document.id])
    told = [one.text for one in units_of(other) if len(one.text.split()) >= 6]
    if told and (text := draw.choice(told)) not in unit.passage.chunk.text:
        yield "of another page", text
    rest = [one for one in units if one is not unit]
    if rest:
        half, tail = unit.text.split(), draw.choice(rest).text.split()
        mixed = half[: len(half) // 2] + tail[len(tail) // 2 :]
        if all(_differs(mixed, one) for one in (half, tail)):
            yield "half and half", " ".join(mixed)


def _differs(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one has words that the other has not, and not only small ones."""
    return sum(len(word) > 3 for word in set(one) - set(other)) >= 2


def _swapped(text: str, table: dict[str, str], draw: random.Random) -> str:
    known = [word for word in table if re.search(rf"\b{word}\b", text)]
    for word in draw.sample(known, min(2, len(known))):
        text = re.sub(rf"\b{word}\b", table[word], text, count=1)
    return text


def _small(text: str) -> str:
    is_name = re.match(r"[A-Z]\w* [A-Z]", text) is not None
    return text[:1].lower() + text[1:] if text[1:2].islower() and not is_name else text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
