"""From evidence to a draft: what is said, part by part, and the words in a source that say it.

Writes nothing of its own: a claim is a sentence of a source, or an edge of the graph in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sextant.ask.evidence.asked import Part, read
from sextant.ask.evidence.choose import choose
from sextant.ask.evidence.claim import Claim
from sextant.text.words import Words
from sextant.types import Hit, Verdict

_MOST = 6
_EACH = 3
_KNOWN = 2
UNKNOWN = "The knowledge does not answer this."


@dataclass(frozen=True, slots=True)
class Draft:
    """The claims in the order of the question's parts; an opening where they do not answer it."""

    claims: tuple[Claim, ...]
    opening: str = ""
    missing: tuple[str, ...] = ()


def write(
    parts: Sequence[Part], hits: Sequence[Hit], verdict: Verdict, now: datetime, words: Words
) -> Draft:
    """Write what the evidence says to each part; if it is not enough, what is known and missing."""
    return drafted(claims_of(parts, hits, now, words), verdict)


def claims_of(
    parts: Sequence[Part], hits: Sequence[Hit], now: datetime, words: Words
) -> tuple[Claim, ...]:
    """Return what the evidence says to each part of a question."""
    reads = read(hits, words)
    claims: list[Claim] = []
    for number, part in enumerate(parts[1:] or parts):
        for claim in choose(part, reads, words, now.date(), _EACH):
            if all(claim.text != other.text for other in claims):
                claims.append(replace(claim, part=number))
    return tuple(claims[:_MOST])


def drafted(claims: Sequence[Claim], verdict: Verdict) -> Draft:
    """Return the draft of an answer, which says so where the claims are not enough."""
    if verdict.sufficient and claims:
        return Draft(tuple(claims))
    return Draft(tuple(claims[:_KNOWN]), UNKNOWN, verdict.missing)
