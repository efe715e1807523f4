"""What the graph says to the cues of a part, in words and with the sentences that say it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sextant.ask.evidence.asked import Part
from sextant.ask.evidence.claim import Claim, Quote
from sextant.ask.evidence.verbal import said, telling
from sextant.ask.expand import Expansion, fits
from sextant.ask.reading.wants import Cue
from sextant.types import Direction, Path, Relation

_SURE = 0.3
_BESIDE = 0.6
_QUOTES = 2
_TOGETHER = 5


def edge_claims(part: Part, expansion: Expansion) -> list[Claim]:
    """Return what the graph says to each cue, edges with an end in common together."""
    claims = []
    for cue in part.goal.wants.cues:
        for relations in _together(_fitting(expansion.paths, cue)):
            claims += _claim(relations, expansion)
    return claims


def _fitting(paths: Iterable[Path], cue: Cue) -> list[Relation]:
    """Return the edges of one hop that a cue asks for, without those that stronger ones deny."""
    own = [path for path in paths if len(path.relations) == 1 and _fits(path, cue)]
    best: dict[str, float] = {}
    for path in own:
        best[path.entity_ids[0]] = max(path.confidence, best.get(path.entity_ids[0], 0.0))
    return [
        path.relations[0]
        for path in own
        if path.confidence >= max(_SURE, best[path.entity_ids[0]] * _BESIDE)
    ]


def _fits(path: Path, cue: Cue) -> bool:
    first = path.relations[0]
    out = first.source == path.entity_ids[0]
    return fits(first, Direction.OUT if out else Direction.IN, (cue,))


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


def _claim(relations: Sequence[Relation], expansion: Expansion) -> list[Claim]:
    entities, passages = expansion.entities, expansion.passages
    quotes: list[Quote] = []
    for relation in relations:
        found = [
            hit
            for name in relation.evidence
            if name in passages and (hit := telling(passages[name], relation, entities))
        ]
        found.sort(key=lambda hit: -hit[1])
        quotes += [quote for quote, _ in found[: _QUOTES if len(relations) == 1 else 1]]
    if not quotes:
        return []
    return [Claim(said(relations, entities), tuple(quotes), tuple(relations), score=1.0)]
