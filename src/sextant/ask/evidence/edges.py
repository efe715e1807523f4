"""What the graph says to the cues of a part, in words and with the sentences that say it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sextant.ask.evidence.asked import Asked
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.read import named
from sextant.ask.evidence.subject import told
from sextant.ask.evidence.verbal import Telling, said, telling
from sextant.ask.quotes import Quote
from sextant.retrieval.expand import Expansion, fits, is_sure
from sextant.retrieval.scoring.worth import worths
from sextant.text.markdown import readable
from sextant.text.prose.figures import figures
from sextant.text.prose.units import Unit
from sextant.text.words import Words
from sextant.types import Cue, Direction, Path, Relation

_SURE = 0.3
_FAR = 0.15
"""Two hops are half as sure."""

_BESIDE = 0.6
_TOGETHER = 5
_LONGEST = 240
_ENOUGH = 3.0
"""How a sentence rates that has the verb, names one end and names or stands under the other."""

_PASSED_ON = frozenset({"depends_on", "uses", "calls", "part_of", "causes", "precedes"})
"""Kinds that go on: what depends on something depends on what that depends on."""


def edge_claims(wanted: Asked, expansion: Expansion, words: Words) -> list[Claim]:
    """Return what the graph says to each cue, one hop first; edges that share an end together."""
    cues, paths = wanted.part.goal.wants.cues, _sure(expansion.paths)
    near = [_near(paths, cue) for cue in cues]
    near = [[] if _is_passed_on(at, near, cues) else own for at, own in enumerate(near)]
    reached = {end for own in near for one in own for end in (one.source, one.target)}
    far = [
        _chained(paths, cue, cues) if not own else _further(paths, cue, reached)
        for own, cue in zip(near, cues, strict=True)
    ]
    groups = [group for own in (*near, *far) for group in _together(own)]
    claims = (_claim(wanted, group, expansion, words) for group in groups)
    return [claim for claim in claims if claim]


def _sure(paths: Iterable[Path]) -> list[Path]:
    return [path for path in paths if all(map(is_sure, path.relations))]


def _is_passed_on(at: int, near: Sequence[Sequence[Relation]], cues: Sequence[Cue]) -> bool:
    """Whether a cue found only what a narrower one asks for: ``who leads the team that owns``."""
    return any(
        own == near[at] and cue.kinds < cues[at].kinds for own, cue in zip(near, cues, strict=True)
    )


def _near(paths: Iterable[Path], cue: Cue) -> list[Relation]:
    """Return the edges of one hop that a cue asks for, without those that stronger ones deny."""
    own = [path for path in paths if len(path.relations) == 1 and _fits(path, 0, (cue,))]
    best: dict[str, float] = {}
    for path in own:
        best[path.entity_ids[0]] = max(path.confidence, best.get(path.entity_ids[0], 0.0))
    return [
        path.relations[0]
        for path in own
        if path.confidence >= max(_SURE, best[path.entity_ids[0]] * _BESIDE)
    ]


def _chained(paths: Iterable[Path], cue: Cue, cues: Sequence[Cue]) -> list[Relation]:
    """Return second edges that a cue asks for where another cue asks for the first."""
    return [
        path.relations[1]
        for path in paths
        if len(path.relations) == 2
        and path.confidence >= _FAR
        and _fits(path, 0, cues)
        and _fits(path, 1, (cue,))
    ][:1]


def _further(paths: Iterable[Path], cue: Cue, reached: set[str]) -> list[Relation]:
    """Return second edges of ways whose kinds go on, towards what is hurt at last."""
    return [
        path.relations[1]
        for path in paths
        if len(path.relations) == 2
        and cue.direction == Direction.IN
        and path.confidence >= _FAR
        and path.entity_ids[-1] not in reached
        and all(_fits(path, at, (cue,)) for at in (0, 1))
        and all(one.kind in _PASSED_ON for one in path.relations)
    ][:_TOGETHER]


def _fits(path: Path, at: int, cues: Sequence[Cue]) -> bool:
    out = path.relations[at].source == path.entity_ids[at]
    return fits(path.relations[at], Direction.OUT if out else Direction.IN, cues)


def _together(relations: Iterable[Relation]) -> list[list[Relation]]:
    """Put edges of one kind that share an end into one group."""
    groups: list[list[Relation]] = []
    for one in dict.fromkeys(relations):
        for group in groups:
            if _share(group, one) and len(group) < _TOGETHER:
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _share(group: Sequence[Relation], one: Relation) -> bool:
    if group[0].kind != one.kind:
        return False
    return all(other.source == one.source for other in group) or all(
        other.target == one.target for other in group
    )


def _claim(
    wanted: Asked, relations: Sequence[Relation], expansion: Expansion, words: Words
) -> Claim | None:
    pairs = [(one, own) for one in relations if (own := _tellings(wanted, one, expansion, words))]
    if not pairs:
        return None
    relations, told = [one for one, _ in pairs], [own for _, own in pairs]
    first = told[0][0]
    if len(relations) == 1 and first.rating >= _ENOUGH:
        text = _sentence(first)
        if len(text) <= _LONGEST:
            return Claim(text, (first.quote, *_also(text, told[0])), score=1.0)
    quotes = tuple(own[0].quote for own in told)
    return Claim(said(relations, expansion.entities), quotes, tuple(relations), score=1.0)


def _also(text: str, found: Sequence[Telling]) -> list[Quote]:
    """Return where another document says the same as well, with the figures of this text."""
    first = found[0].quote.passage.document
    return [
        one.quote
        for one in found[1:]
        if one.rating >= _ENOUGH
        and one.quote.passage.document.id != first.id
        and figures(text) <= figures(f"{one.quote.passage.document.title} {one.quote.text}")
    ][:1]


def _sentence(one: Telling) -> str:
    """Return a telling sentence; where it names one end, under the title that is the other."""
    quote = one.quote
    unit = Unit(quote.passage, quote.start, quote.end, readable(quote.text))
    return told(unit, whole=one.whole)


def _tellings(
    wanted: Asked, relation: Relation, expansion: Expansion, words: Words
) -> list[Telling]:
    """Return where the evidence says an edge, best first; of equals, with most of what is asked."""
    passages = [
        expansion.passages[name] for name in relation.evidence if name in expansion.passages
    ]
    both = {relation.source, relation.target}
    passages += [one for one in wanted.found if both.issubset(one.chunk.entity_ids)]
    found = [one for own in passages if (one := telling(own, relation, expansion.entities))]
    worth = worths(one.document for one in passages)
    return sorted(
        found,
        key=lambda one: (
            -min(_ENOUGH, one.rating),
            -worth[one.quote.passage.document.id],
            -_held(wanted, one, words),
            -_is_own(wanted, one),
            -_length(one),
            -one.rating,
            -_standing(one),
            one.quote.key,
        ),
    )


def _is_own(wanted: Asked, one: Telling) -> bool:
    """Whether a sentence stands on the page of somebody whom the question names."""
    title = named(one.quote.passage.document.title)
    return any(title in name.forms for name in wanted.names)


def _length(one: Telling) -> int:
    """Return how much a sentence tells beside the edge."""
    length = one.quote.end - one.quote.start
    return length if length <= _LONGEST else 0


def _standing(one: Telling) -> float:
    return one.quote.passage.document.reputation


def _held(wanted: Asked, one: Telling, words: Words) -> float:
    return sum(wanted.terms.get(term, 0.0) for term in sorted(set(words.terms(one.quote.text))))
