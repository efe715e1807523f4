"""From evidence to a draft: what is said, part by part, and the words in a source that say it.

Writes nothing of its own: a claim is a sentence of a source, or an edge of the graph in words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sextant.ask.evidence.asked import Part, asked, spelt_out
from sextant.ask.evidence.choose import choose, together
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.meant import OddsOf, unknown
from sextant.ask.evidence.read import Reader, named
from sextant.ask.evidence.wording.values import names_in
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.ask.plan import WHOLE
from sextant.ask.reading.wants import Kind
from sextant.retrieval.sorts import sorts
from sextant.types import FollowUp, Hit, Verdict

_MOST = 6
_EACH = 3
_SPOKEN_OF, _FAR, _DOUBTFUL = 0.1, 0.05, 0.3
"""A block comes near that has this share of what is asked, as 98 of 100 do that hold an answer
(bench/documentation), or of which it is doubtful whether it answers; none of those questions has a
confidence of 0.15 or less."""

_FURTHER = 2
_NAMES = 2


@dataclass(frozen=True, slots=True)
class Draft:
    """The claims in the order of the question's parts; an opening where they do not answer it."""

    claims: tuple[Claim, ...]
    opening: str = ""
    missing: tuple[str, ...] = ()


def claims_of(
    parts: Sequence[Part],
    hits: Sequence[Hit],
    now: datetime,
    reader: Reader,
    odds: OddsOf = unknown,
) -> tuple[Claim, ...]:
    """Return what the evidence says to each part of a question, and to all of it together."""
    question = parts[0].goal.text if parts else ""
    reads, words, is_whole = reader.read(hits, question), reader.words, len(parts) == 1
    claims: list[Claim] = []
    for number, part in enumerate(_in_order(parts)):
        wanted = asked(part, reads, words, now.date())
        wanted = replace(wanted, odds=odds(part))
        most = 1 if part is parts[0] and claims else _EACH
        found = choose(wanted, reads, words, most, claims, is_whole=is_whole)
        known = [claim.text for claim in claims]
        claims += [replace(claim, part=number) for claim in found if claim.text not in known]
    claims = _short(claims)
    if not is_whole and not _is_comparison(parts):
        wanted = replace(asked(parts[0], reads, words, now.date()), odds=odds(parts[0]))
        claims += together(wanted, reads, claims)
    return tuple(claims)


def _short(claims: Sequence[Claim]) -> list[Claim]:
    """Leave out what is too much, from the end of the part of which most is said."""
    kept = list(claims)
    while len(kept) > _MOST:
        counts = Counter(claim.part for claim in kept)
        longest = max(counts, key=lambda part: (counts[part], part))
        last = max(at for at, claim in enumerate(kept) if claim.part == longest)
        del kept[last]
    return kept


def _in_order(parts: Sequence[Part]) -> Sequence[Part]:
    """Return the parts to answer; what a comparison says of both sides comes behind each."""
    if len(parts) > 1 and _is_comparison(parts):
        return (*parts[1:], parts[0])
    return parts[1:] or parts


def _is_comparison(parts: Sequence[Part]) -> bool:
    return bool(parts) and parts[0].goal.wants.kind == Kind.COMPARISON


def _points_back(part: Part) -> bool:
    return part.goal.goal != WHOLE and bool(_BACK.search(part.goal.goal))


_BACK = re.compile(r"\b(?:it|its|they|their|them|that|this|those|these|he|she)\b", re.IGNORECASE)


def further(parts: Sequence[Part], claims: Sequence[Claim]) -> tuple[FollowUp, ...]:
    """Return queries for what the claims brought up but do not answer.

    ``who owns it`` asks for more once it is known what it is; ``which extension`` is not answered
    by a team, but can be asked of the team.
    """
    found: list[FollowUp] = []
    for number, part in enumerate(_in_order(parts)):
        before = _brought_up(part, [claim for claim in claims if claim.part < number])
        own = [claim for claim in claims if claim.part == number]
        if before and _points_back(part):
            found.append(FollowUp(f"{before}: {_clause(part)}", part.goal.goal))
        elif _lacks(part, own) and (names := _brought_up(part, own)):
            found.append(FollowUp(f"{names}: {part.goal.wants.noun}", part.goal.goal))
    return tuple(found[:_FURTHER])


def _brought_up(part: Part, claims: Sequence[Claim]) -> str:
    """Return the names that claims have and the question does not."""
    known = named(part.goal.text)
    kept: list[str] = []
    for name in (name for claim in claims for name in names_in(claim.text)):
        if _is_plain(name) or named(name) in known:
            continue
        if not any(named(name) in named(one) for one in kept):
            kept.append(name)
    return " ".join(kept[:_NAMES])


def _is_plain(name: str) -> bool:
    """Whether a name is one word that may only open a sentence."""
    return name.isalpha() and not name.isupper()


def with_further(parts: Sequence[Part], more: Sequence[Part]) -> tuple[Part, ...]:
    """Return the parts; one that points back and names nobody in the words of a further query."""
    told = {(one.goal.goal, _clause(one)): one for one in more}
    return tuple(
        part if spelt_out(part.linked) else told.get((part.goal.goal, _clause(part)), part)
        for part in parts
    )


def _clause(part: Part) -> str:
    """Return what a part asks, without what it was put behind to stand alone."""
    return part.goal.text.rpartition(": ")[2]


def _lacks(part: Part, claims: Sequence[Claim]) -> bool:
    """Whether a thing is asked for by name that no claim speaks of."""
    wants = part.goal.wants
    if not wants.noun or wants.kind not in (Kind.NAME, Kind.LIST, Kind.ANYTHING):
        return False
    documents = [quote.passage.document for claim in claims for quote in claim.quotes]
    titles = [document.title for document in documents]
    said = named(" ".join([*(claim.text for claim in claims), *titles]))
    return named(wants.noun).rstrip() not in said and not any(
        wants.noun in sorts(document) for document in documents
    )


def drafted(
    claims: Sequence[Claim],
    blocks: Sequence[Claim],
    verdict: Verdict,
    phrases: Phrases = ENGLISH,
) -> Draft:
    """Return the draft of an answer, which says so where what is told only comes nearest."""
    told = _told(claims, blocks)
    is_spoken_of = any(one.score >= _SPOKEN_OF for one in blocks)
    if verdict.sufficient:
        # a model may say yes to what no page speaks of
        known = told if claims or is_spoken_of else ()
        return Draft(known, "" if known else phrases.unknown, () if known else verdict.missing)
    is_near = is_spoken_of and verdict.confidence >= _FAR
    nearest = told if is_near or verdict.confidence >= _DOUBTFUL else ()
    return Draft(nearest, phrases.nearest if nearest else phrases.unknown, verdict.missing)


def _told(claims: Sequence[Claim], blocks: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return what the graph says, then the blocks, each with what another source says instead."""
    others = {
        quote.passage.chunk.id: claim.otherwise
        for claim in reversed(claims)
        if claim.otherwise and not claim.relations
        for quote in claim.quotes
    }
    opposed = [replace(one, otherwise=others.get(one.quotes[0].passage.chunk.id)) for one in blocks]
    return (*(one for one in claims if one.relations), *opposed)
