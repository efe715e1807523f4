"""Names in a text by their shape: capitals, codes, quotes. Knows no entity."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sextant.text.prose.sentences import OPENERS
from sextant.text.tokens import STOP_WORDS, Token, tokens_of, word_set

_QUOTED = re.compile(r'"([^"\n]{1,120})"|“([^”\n]{1,120})”|`([^`\n]{1,120})`|«([^»\n]{1,120})»')
_LINKS = frozenset({"of", "the", "for", "de", "der", "von", "van", "la", "du", "del", "di"})
MONTHS_AND_DAYS = word_set(
    "january february march april may june july august september october november december jan "
    "feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday "
    "saturday sunday mon tue wed thu fri sat sun"
)
_NO_NAMES = MONTHS_AND_DAYS | word_set(
    "i i'm i'd i've i'll utc gmt cet cest est pst am pm eur usd gbp chf ok okay faq asap q1 q2 "
    "q3 q4 please hi hello thanks list show tell name give explain describe compare define find "
    "suppose assuming imagine let's nobody everybody everything nothing something yes today "
    "yesterday tomorrow nowadays currently recently once until unless given though follow call "
    "page contact open stop start wait try apply escalate switch notify restart drain ask check "
    "run see use restore"
)
TYPES = word_set(
    "service services process team teams tier system component job queue store database cluster "
    "region zone plan phase step group product project policy runbook incident release version "
    "class type level section chapter part appendix table figure unit site line model series "
    "class area building room gate route vendor company customer department module"
)
"""Nouns that names begin or end with, and that stand in for them: ``that team``."""

_STOPS = frozenset(".!?:;\n")
_MOST_QUOTED = 64
_TITLE_WORDS = 8
"""A run longer than this is no name but a text in capitals."""


@dataclass(frozen=True, slots=True)
class Name:
    """What looks like a name. Only a capital at the start of a sentence is not sure."""

    text: str
    start: int
    end: int
    sure: bool = True


def names_in(text: str) -> tuple[Name, ...]:
    """Return what looks like a name, in order; names never overlap."""
    quoted = [_unquoted(found) for found in islice(_QUOTED.finditer(text), _MOST_QUOTED)]
    tokens = [token for token in tokens_of(text) if not _inside(token, quoted)]
    shouted = not any(sign.islower() for sign in text)
    found = [*quoted, *(() if shouted else _runs(text, tokens))]
    if shouted:
        found += [_named(text, [token]) for token in tokens if _has_digit_and_letter(token.text)]
    return tuple(sorted(found, key=lambda name: name.start))


def _unquoted(found: re.Match[str]) -> Name:
    return Name(found.group(found.lastindex or 0).strip() or found.group(), *found.span())


def _inside(token: Token, quoted: Sequence[Name]) -> bool:
    return any(name.start <= token.start < name.end for name in quoted)


def _runs(text: str, tokens: Sequence[Token]) -> Iterator[Name]:
    run: list[Token] = []
    before: Token | None = None
    for token in tokens:
        if run and token.text == "." and _is_initial(run):
            run.append(token)
            continue
        if run and not _goes_on(text, run, token):
            yield from _trimmed(text, run)
            run = []
        if run or _opens(token):
            lettered = not run and before is not None and _is_letter_after(text, before, token)
            run = [before, token] if lettered and before else [*run, token]
        before = token
    yield from _trimmed(text, run)


def _opens(token: Token) -> bool:
    return token.text[:1].isupper() or _is_code(token.text)


def _goes_on(text: str, run: Sequence[Token], token: Token) -> bool:
    """Whether a token belongs to the run before it: a capital, a number, or one ``of`` between."""
    last = run[-1]
    if text[last.end : token.start] != " " or last.low.endswith(("'s", "'")):
        return False
    links = any(earlier.low == "of" for earlier in run[-_TITLE_WORDS:])
    if token.low == "of" and (links or _has_digit_and_letter(last.text)):
        return False
    return _opens(token) or token.text.isdecimal() or token.low in _LINKS


def _is_initial(run: Sequence[Token]) -> bool:
    """Whether a letter is the ``W`` of ``Elmer W. Conti``, not the ``A`` of ``Service A.``"""
    letter = len(run[-1].text) == 1 and run[-1].text.isupper()
    return letter and (len(run) == 1 or run[-2].low not in TYPES)


def _is_letter_after(text: str, before: Token, token: Token) -> bool:
    """Whether this is the ``A`` of ``service A``."""
    lone = len(token.text) == 1 and token.text.isupper() and token.low != "i"
    near = text[before.end : token.start] == " "
    return lone and near and before.text.isalpha() and before.low not in STOP_WORDS


def _trimmed(text: str, run: list[Token]) -> Iterator[Name]:
    """Yield a run without the small words at its ends, if something is left."""
    first, last = 0, len(run)
    while first < last and _is_small(run[first], run, first):
        first += 1
    while first < last and (run[last - 1].text in _LINKS or run[last - 1].text == "."):
        last -= 1
    kept = run[first:last]
    if not kept or len(kept) > _TITLE_WORDS or all(token.text.isdecimal() for token in kept):
        return
    if len(kept) == 1 and kept[0].low in _NO_NAMES | STOP_WORDS:
        return
    name = _named(text, kept)
    if name.sure or kept[0].low not in OPENERS:
        yield name


def _is_small(token: Token, run: Sequence[Token], at: int) -> bool:
    """Whether a leading word is none of the name: ``Does`` in ``Does Service A``."""
    word = token.low.removesuffix("'s")
    if token.text.islower() and not _is_code(token.text):
        return word in STOP_WORDS
    if token.text == "The" and at + 1 < len(run) and token.start:
        return False
    if word in _NO_NAMES or (token.text.isdecimal() and at == 0):
        return True
    return word in STOP_WORDS or (word in OPENERS and at + 1 < len(run))


def _named(text: str, run: Sequence[Token]) -> Name:
    start, end = run[0].start, run[-1].end
    if run[-1].low.endswith("'s"):
        end -= 2
    word = run[0].text
    plain = len(run) == 1 and not _is_code(word) and not (word.isupper() and len(word) > 1)
    return Name(text[start:end], start, end, not (plain and _begins_sentence(text, start)))


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 8) : start].rstrip(" \t")
    return not before or before[-1] in _STOPS


def _is_code(word: str) -> bool:
    """Whether a word is an identifier: ``INC-2025-031``, ``retry_policy``, ``fetchOrders``."""
    if not word[:1].isalpha():
        return False
    inner = word[1:]
    mixed = any(sign.isupper() for sign in inner) and any(sign.islower() for sign in word)
    parts = word.replace("@", ".").replace("/", ".").split(".")
    dotted = len(parts) > 1 and all(len(part) > 1 for part in parts) and "/" not in word
    return mixed or dotted or "_" in inner or _has_digit_and_letter(word)


def _has_digit_and_letter(word: str) -> bool:
    return word[:1].isalpha() and any(sign.isdecimal() for sign in word)
