"""From the mentions in a text to relations. Knows no names, only whose they are and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from sextant.ingest.extract.certainty import Certainty
from sextant.ingest.extract.mentions import Mention, Wording
from sextant.ingest.extract.phrases import (
    STOP,
    Saying,
    goes_on,
    is_about_escalation,
    saying_before,
    saying_between,
)

TOGETHER = "mentioned_with"
_SAID, _LISTED, _IMPLIED, _TOGETHER = 0.85, 0.75, 0.7, 0.3
_PERHAPS = 0.5
"""What it is worth that a sentence seems to say something: half. Of 200 relations that patterns
read in documentation 42 were true, of those that are not told since (bench/graph_precision.py)."""

_MOST_TOGETHER = 6

Edge = tuple[str, str, str, float]
"""Source, target, kind and confidence."""


def edges_in(
    wording: Wording, mentions: Sequence[Mention], subject: str, stated: Set[str] = frozenset()
) -> Iterator[Edge]:
    """Yield what a text says, whose mentions are in order and do not overlap."""
    words, certainty = wording.words, Certainty(wording, stated)
    for sentence in _by_sentence(words, mentions):
        yield from _relations_said(words, sentence, certainty)
        if subject:
            yield from _implied(words, sentence, subject, certainty)
        if len(sentence) > 1:
            names = list(dict.fromkeys(mention.entity for mention in sentence))
            for one, other in pairwise(names[:_MOST_TOGETHER]):
                yield min(one, other), max(one, other), TOGETHER, _TOGETHER


def _by_sentence(words: Sequence[str], mentions: Sequence[Mention]) -> Iterator[list[Mention]]:
    held: list[Mention] = []
    for mention in mentions:
        if held and STOP in words[held[-1].last + 1 : mention.first]:
            yield held
            held = []
        held.append(mention)
    if held:
        yield held


def _relations_said(
    words: Sequence[str], mentions: Sequence[Mention], certainty: Certainty
) -> Iterator[Edge]:
    """Yield ``A depends on B`` and, after it, ``… and C``."""
    source: Mention | None = None
    saying: Saying | None = None
    sure = False
    for one, other in pairwise(mentions):
        found = saying_between(words, one.last + 1, other.first)
        if found:
            source, saying = one, _as_meant(found, words, one)
            sure = certainty.is_said(one, other, saying)
            yield from _edge(source, other, saying, _weighed(_SAID, sure))
        elif source and saying and goes_on(words, one.last + 1, other.first):
            sure = sure and certainty.is_listed(one, other)
            yield from _edge(source, other, saying, _weighed(_LISTED, sure))
        else:
            source = saying = None


def _weighed(confidence: float, sure: bool) -> float:
    return confidence if sure else confidence * _PERHAPS


def _implied(
    words: Sequence[str], mentions: Sequence[Mention], subject: str, certainty: Certainty
) -> Iterator[Edge]:
    """Yield what a sentence says of the document's own subject: ``Owner: B, C``."""
    first = mentions[0]
    saying = saying_before(words, first.first)
    if saying is None:
        return
    own = Mention(subject, -1, -1)
    sure = certainty.is_implied(subject, first, saying)
    yield from _edge(own, first, saying, _weighed(_IMPLIED, sure))
    for one, other in pairwise(mentions):
        if not goes_on(words, one.last + 1, other.first):
            break
        sure = sure and certainty.is_listed(one, other)
        yield from _edge(own, other, saying, _weighed(_IMPLIED, sure))


def _as_meant(saying: Saying, words: Sequence[str], one: Mention) -> Saying:
    """Read ``escalation for A is owned by B`` as an escalation from A to B."""
    if saying == Saying("owned_by") and is_about_escalation(words, one.first):
        return Saying("escalates_to")
    return saying


def _edge(one: Mention, other: Mention, saying: Saying, confidence: float) -> Iterator[Edge]:
    source, target = (other, one) if saying.backwards else (one, other)
    if source.entity != target.entity:
        yield source.entity, target.entity, saying.kind, confidence
