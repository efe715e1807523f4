"""The names that a document claims, from its own words alone. Knows no other document.

What a document claims never depends on what else is known, so it can be worked out again at any
time from what is stored of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

from sextant.ingest.extract.capitals import (
    DATES,
    has_noun_capitals,
    is_capitalised,
    is_of_code,
    is_used,
    is_word_in,
    names_in,
    prose_in,
)
from sextant.text.layouts.rows import is_head_row
from sextant.text.names import name_key, slug
from sextant.text.orders import blank_orders, has_order
from sextant.text.prose.sentences import OPENERS
from sextant.types import OWN, Chunk, Document, Entity

FOUND_IN, LISTED = f"{OWN}found_in", f"{OWN}listed"
"""The metadata of an entity that says where a document has its name from, and whether it is listed:
``yes`` where a text brings a name, ``no`` where a source states something that is none."""

ALIASES, NAMES, FORMAT = f"{OWN}aliases", f"{OWN}names", f"{OWN}format"
"""The metadata of a document that holds the other names of its title and the names that an
extractor found, each one a line, and the document's format."""


class Rank(IntEnum):
    """How much a claim to a name is worth. Names from ``DEFINED`` on are sought everywhere."""

    TEXT = 1
    HEADING = 2
    DEFINED = 3
    TITLE = 4
    STATED = 5
    PERSON = 6


@dataclass(frozen=True, slots=True)
class Claim:
    """A name for an entity, with other names for the same. Only what is stated has its own id.

    ``merges`` are the ids of entities that a person said are this one. What is listed is a name,
    and not only something that is found by its words.
    """

    id: str
    name: str
    rank: Rank
    aliases: frozenset[str] = frozenset()
    type: str = ""
    merges: frozenset[str] = frozenset()
    listed: bool = False


class FoundName(NamedTuple):
    """A name that a model found in the text, of what type, and what else it is called there."""

    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()


_MOST_NAMES = 24
_LONGEST = 80
_MOST_WORDS = 8
_UNTITLED = frozenset({"code", "csv", "xlsx", "email", "mbox", "json", "yaml"})
"""Formats whose titles name the file, not a thing."""

_WORD = r"[A-Z][\w'’&+-]*"  # noqa: RUF001 - an apostrophe as it is printed
_NAME = rf"(?:[A-Z]\. )*{_WORD}(?: (?:{_WORD}|\d+)){{0,4}}"
_SPAN = re.compile(
    # A set in front lets the search skip to it. Without the bound, which is _LONGEST, every letter
    # of a long run would be followed to the end of the run.
    r"[A-Z](?:\.(?: [A-Z]\.)*|[\w'’&+-]{0,80}+)"  # noqa: RUF001 - an apostrophe as it is printed
    r"(?: (?:(?:of|the|and|for|d[aei]|de[lnr]|du|von|van)(?: (?:la|de[nr]))? )?"
    rf"(?:{_WORD}|\d+))+"
)
_CODED = re.compile(
    r"[a-z][a-z0-9]*+(?:[A-Z][a-z0-9]++)++|(?:[A-Z][a-z0-9]+){2,}|"
    r"[a-z][a-z0-9]+(?:[-_][a-z0-9]+)+|[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+"
)
_QUOTED = re.compile(r"`([A-Za-z][\w.-]{2,60})`")
_AROUND = "`'\"()[]{}<>.,;:!?*“”"
_SHORT = re.compile(r"\(([A-Z][A-Z0-9]{1,7})s?\)")
_IS_A = re.compile(
    r" (?:is|are|was) (?:an?|the|our) ((?:[\w-]+ ){0,5}?)"
    r"(service|process|team|system|component|api|database|queue|job|tool|product|policy|"
    r"library|platform|resource|cluster|protocol|controller|company|group|department)\b"
)
_SUBJECT = re.compile(rf"(?:^|[.!?\n])[ \t#*>-]*(?:The )?({_NAME})(?: \(([^)\n]{{2,60}})\))?,?$")
_ALSO = re.compile(
    r"(?:also known as|also called|aka|a\.k\.a\.|formerly known as|formerly|previously called|"
    r"known internally as) [\"“]?"
)
_LAST = re.compile(rf"({_NAME})(?:,| \(| is| was)? ?$")
_FIRST = re.compile(rf"({_NAME})")
_BACK = 120
"""How far before a telling phrase its subject may start."""

_ASIDE = re.compile(r"^(.+?) \(([^()]{2,60})\)$")
_NO_START = (
    OPENERS
    | DATES
    | {"about", "above", "allow", "almost", "around", "below", "by", "least", "nearly", "over"}
    | {"chapter", "extension", "figure", "page", "section", "step", "table", "version"}
)
_CODE = re.compile(r"([A-Z]{2,}-\d[\d-]*)[: ]")
_GENERIC = frozenset(
    "about abstract api appendix background changelog changes conclusion configuration contact "  # noqa: SIM905 - a list of words reads best as words
    "contents context definition definitions description details documentation example examples "
    "faq feature features general getting-started glossary guide history home how-to "
    "how-it-works index installation introduction license links motivation next-steps note notes "
    "overview parameters policy prerequisites procedure process purpose readme reference "
    "references related requirements resources result results runbook scope see-also service "
    "setup steps summary support synopsis table-of-contents team terminology title "
    "troubleshooting tutorial untitled usage what-s-next".split()
)


def claims_of(
    document: Document,
    chunks: Sequence[Chunk],
    stated: Iterable[Entity] = (),
    named: Iterable[FoundName] = (),
    blanked: Mapping[str, str] | None = None,
) -> list[Claim]:
    """Return what a document claims, strongest first, each name once.

    An order to an assistant claims nothing, wherever it stands. ``blanked`` are the texts without
    orders of the chunks that have some, where these were sought before.
    """
    blanked = texts_without_orders(chunks) if blanked is None else blanked
    text = "\n".join(blanked.get(chunk.id, chunk.text) for chunk in chunks)
    headings = dict.fromkeys(
        heading for chunk in chunks for heading in chunk.headings if not is_head_row(heading)
    )
    own: dict[str, Claim] = {}
    for one in stated:
        is_listed = one.metadata.get(LISTED) != "no"
        rank = Rank.STATED if is_listed else Rank.TEXT
        own.setdefault(
            one.id, Claim(one.id, one.name, rank, one.aliases, one.type, listed=is_listed)
        )
    taken = {name_key(claim.name) for claim in own.values()}
    prose = prose_in(text)
    is_telling = not has_noun_capitals(prose)
    found: dict[str, Claim] = {}
    for claim in (
        *_from_title(document),
        *_from_definitions(text),
        *_from_headings(one for one in headings if is_telling and not has_order(one)),
        *_from_extractor(document),
        *_from_model(named),
        *_from_text(text, is_telling),
    ):
        key = name_key(claim.name)
        found[key] = _joined(found[key], claim) if key in found else claim
    names = names_in(prose) if is_telling else frozenset[str]()
    listed = (
        replace(one, listed=True) if _is_name(one, names, prose) else one for one in found.values()
    )
    return [*own.values(), *(claim for claim in listed if name_key(claim.name) not in taken)]


def texts_without_orders(chunks: Iterable[Chunk]) -> dict[str, str]:
    """Return the texts of the chunks that have orders to an assistant, with these blanked."""
    told = ((chunk, blank_orders(chunk.text)) for chunk in chunks)
    return {chunk.id: text for chunk, text in told if text != chunk.text}


def _is_name(claim: Claim, names: frozenset[str], prose: str) -> bool:
    """Whether what was found is written as a name, or defined as one is.

    A single word is not, if it was only found in code.
    """
    name = claim.name
    if claim.listed:
        return True
    if name in names:
        return claim.rank >= Rank.DEFINED or " " in name or _CODED.fullmatch(name) is not None
    is_title = claim.rank == Rank.TITLE and is_used(prose, name)
    is_start = name.partition(" ")[0].lower() in _NO_START
    is_named = is_capitalised(name) and not is_start and not is_of_code(name)
    is_defined = claim.rank == Rank.DEFINED and is_named
    return (is_title or is_defined) and not is_word_in(prose, name)


def _joined(stronger: Claim, other: Claim) -> Claim:
    """Return one claim to a name that was claimed twice: a title learns what a definition says.

    What else a model calls it is not learnt where other documents would be linked by it.
    """
    spreads = other.rank < Rank.DEFINED <= stronger.rank
    learnt = frozenset[str]() if spreads else other.aliases
    listed = stronger.listed or other.listed
    if learnt <= stronger.aliases and (stronger.type or not other.type):
        return stronger if listed == stronger.listed else replace(stronger, listed=listed)
    aliases = (stronger.aliases | learnt) - {stronger.name}
    return replace(stronger, aliases=aliases, type=stronger.type or other.type, listed=listed)


def _from_title(document: Document) -> Iterator[Claim]:
    title = " ".join(document.title.split())
    format_name = document.metadata.get(FORMAT, document.source_type)
    if format_name in _UNTITLED or not is_name(title, _MOST_WORDS) or has_order(title):
        return
    aliases = {one for one in document.metadata.get(ALIASES, "").split("\n") if one.strip()}
    aside = _ASIDE.match(title)
    code = _CODE.match(title)
    is_listed = bool(aliases or (code and title[code.end() - 1] == ":"))
    aliases |= {found[1] for found in (aside, code) if found}
    yield Claim(slug(title), title, Rank.TITLE, frozenset(aliases - {title}), listed=is_listed)


def _from_definitions(text: str) -> Iterator[Claim]:
    for short in _SHORT.finditer(text):
        words = _spelt_out(text[max(0, short.start() - _BACK) : short.start()].split(), short[1])
        if words:
            yield _claim(" ".join(words), Rank.DEFINED, short[1])
    for said in _IS_A.finditer(text):
        subject = _SUBJECT.search(text[max(0, said.start() - _BACK) : said.start()])
        if subject and _can_be_defined(subject[1]):
            aliases = _plain_aside(subject[2] or "")
            yield _claim(subject[1], Rank.DEFINED, *aliases, type=said[2].lower())
    for said in _ALSO.finditer(text):
        subject = _LAST.search(text[max(0, said.start() - _BACK) : said.start()])
        other = _FIRST.match(text, said.end())
        if subject and other and _can_be_defined(subject[1]):
            yield _claim(subject[1], Rank.DEFINED, other[1])


_PLAIN = frozenset(
    "at code command data default directory field file here item key kind label list name number "  # noqa: SIM905 - words read best as words
    "object option state status type user value version".split()
)
"""Words that many sentences start with, and that name nothing in particular."""


def _can_be_defined(name: str) -> bool:
    first, _, rest = name.removeprefix("The ").lower().partition(" ")
    return is_name(name) and first not in OPENERS and (bool(rest) or first not in _PLAIN)


def _plain_aside(aside: str) -> list[str]:
    other = aside.removeprefix("or ").removeprefix("aka ").strip("\"'“” ")
    return [other] if other and other[0].isupper() and len(other.split()) < _MOST_WORDS else []


def _spelt_out(words: Sequence[str], short: str) -> Sequence[str]:
    """Return the last words whose first letters spell an acronym; none if they do not."""
    tail = words[-len(short) :]
    return tail if "".join(word[0] for word in tail).lower() == short.lower() else ()


def _from_headings(headings: Iterable[str]) -> Iterator[Claim]:
    for heading in headings:
        words = heading.split()
        named = all(word[0].isupper() or word[0].isdigit() for word in words if len(word) > 3)
        several = len(words) > 1 or (words and _CODED.fullmatch(heading))
        if several and named and is_name(heading, 5) and words[0][0].isupper():
            yield _claim(heading, Rank.HEADING)


def _from_extractor(document: Document) -> Iterator[Claim]:
    names = document.metadata.get(NAMES, "").split("\n")[:_MOST_NAMES]
    yield from (replace(_claim(name, Rank.TEXT), listed=True) for name in names if is_name(name))


def _from_model(named: Iterable[FoundName]) -> Iterator[Claim]:
    for name, kind, aliases in named:
        yield replace(_claim(name, Rank.TEXT, *aliases, type=kind), listed=True)


def _from_text(text: str, is_telling: bool) -> Iterator[Claim]:
    """Yield identifiers and, where capitals are telling, the runs of capitalised words."""
    counts: Counter[str] = Counter(_spans(text) if is_telling else ())
    counts.update(_coded(text))
    counts.update(_QUOTED.findall(text))
    fit = [(name, count) for name, count in counts.items() if is_name(name)]
    ranked = sorted(fit, key=lambda pair: (-pair[1], pair[0]))
    yield from (_claim(name, Rank.TEXT) for name, _ in ranked[:_MOST_NAMES])


def _spans(text: str) -> Iterator[str]:
    """Yield runs of capitalised words, without dates, and words that only open the sentence."""
    for match in _SPAN.finditer(text):
        start = match.start()
        if start and (text[start - 1].isalnum() or text[start - 1] in "._"):
            continue
        for part in _parts(match.group()):
            words = part.rstrip(".").split()
            while words and (words[0].lower() in _NO_START or words[0].isdigit()):
                del words[0]
            while words and words[-1].lower() in DATES:
                del words[-1]
            if len(words) > 1 or (words and _CODED.fullmatch(words[0])):
                yield " ".join(words)


def _parts(span: str) -> list[str]:
    """Cut at ``and`` where a longer name stands beside it; Bread and Butter stays one."""
    parts = span.split(" and ")
    return parts if any(" " in part for part in parts) else [span]


def _coded(text: str) -> Iterator[str]:
    """Yield identifiers: words with capitals, hyphens or underscores inside."""
    for word, count in Counter(text.split()).items():
        if word.islower() and word.isalpha():
            continue
        inner = word[1:]
        if "-" in inner or "_" in inner or (inner != inner.lower() and not word.isupper()):
            plain = word.strip(_AROUND)
            if len(plain) <= _LONGEST and _CODED.fullmatch(plain):
                yield from (plain for _ in range(count))


def _claim(name: str, rank: Rank, *aliases: str, type: str = "") -> Claim:  # noqa: A002 - as in Entity
    name = name.removeprefix("The ")
    return Claim(slug(name), name, rank, frozenset(aliases) - {name}, type)


def is_name(name: str, most_words: int = 6) -> bool:
    """Whether something could be a name: short, with a letter, no sentence, nothing general."""
    return (
        2 <= len(name) <= _LONGEST
        and len(name.split()) <= most_words
        and name[-1] not in ".?!:,;"
        and any(sign.isalpha() for sign in name)
        and slug(name) not in _GENERIC
    )
