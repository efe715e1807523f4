"""Whether a piece of evidence says again what a claim says, and can stand beside its source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sextant.ask.evidence.asked import Asked
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.marking.coverage import answers_in, held, share_of, spoken_of
from sextant.ask.evidence.marking.fit import new_names
from sextant.ask.evidence.read import Read, content, named
from sextant.ask.quotes import Quote
from sextant.text.prose.figures import figures
from sextant.text.prose.negation import denies
from sextant.text.words import Words

_ALIKE = 0.7
"""A source supports a claim if it speaks of this much of what the claim speaks of."""

_QUOTES = 3
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Told:
    """What a claim says: the answers in it, its stems, and what it speaks of."""

    answers: frozenset[str]
    terms: frozenset[str]
    spoken: frozenset[str]
    denies: bool


def told_by(wanted: Asked, claim: Claim, words: Words) -> Told:
    """Return what a claim says."""
    text = claim.text
    terms = frozenset(content(words, text))
    return Told(answers_in(wanted, text), terms, spoken_of(wanted, text, words), denies(text))


def same(wanted: Asked, one: Read, own: frozenset[str], claims: Sequence[Told]) -> int | None:
    """Return which claim a piece says again: the same values or names, or nearly the same words."""
    ours = answers_in(wanted, one.unit.text) if claims else frozenset()
    denied = denies(one.unit.text)
    for at, claim in enumerate(claims):
        if claim.denies != denied:
            continue
        if ours and ours <= claim.answers:
            return at
        if claim.answers and claim.answers <= ours and claim.spoken <= own:
            return at
        told = claim.terms
        if len(told & one.terms) >= _ALIKE * len(told) and len(one.terms) <= 2 * len(told):
            return at
    return None


def is_cited(one: Read, claims: Sequence[Claim]) -> bool:
    """Whether claims rest on the document of a piece already."""
    document = one.unit.passage.document.id
    return any(quote.passage.document.id == document for own in claims for quote in own.quotes)


def supported(claim: Claim, one: Read) -> Claim:
    """Return a claim with one more source, if it is another one."""
    if len(claim.quotes) >= _QUOTES or is_cited(one, [claim]):
        return claim
    return replace(claim, quotes=(*claim.quotes, quote_of(one)))


def says(wanted: Asked, one: Read, claim: Claim, words: Words) -> bool:
    """Whether a piece has the figures, codes and new names of a claim, and what else is asked."""
    if not figures(claim.text) <= figures(
        f"{one.unit.passage.document.title} {quote_of(one).text}"
    ):
        return False
    if denies(one.unit.text) != denies(claim.text):
        return False
    if not all(code in one.unit.text for code in _CODE.findall(claim.text)):
        return False
    spelt = one.name + one.heading
    if not all(named(name) in spelt for name in new_names(wanted, claim.text)):
        return False
    theirs = spoken_of(wanted, claim.text, words)
    both = theirs & (held(wanted, one) | one.around)
    return share_of(wanted, both) >= share_of(wanted, theirs) * _ALIKE


def quote_of(one: Read) -> Quote:
    """Return where a piece stands."""
    return Quote(one.unit.passage, one.unit.start, one.unit.end)
