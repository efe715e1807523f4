"""Edges of the graph in words, and where a source says them. Knows English, no question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sextant.ask.evidence.claim import Quote
from sextant.text.names import normal_name
from sextant.text.sentences import sentence_spans
from sextant.types import Entity, Passage, Relation

_SAID = {
    "depends_on": ("depends on", "depend on"),
    "owned_by": ("is owned by", "are owned by"),
    "escalates_to": ("escalates to", "escalate to"),
    "part_of": ("is part of", "are part of"),
    "calls": ("calls", "call"),
    "uses": ("uses", "use"),
    "provides": ("provides", "provide"),
    "replaces": ("replaces", "replace"),
    "precedes": ("precedes", "precede"),
    "fails_over_to": ("is backed up by", "are backed up by"),
    "reports_to": ("is led by", "are led by"),
    "member_of": ("is a member of", "are members of"),
    "causes": ("causes", "cause"),
    "located_in": ("is located in", "are located in"),
    "consumes_api": ("consumes", "consume"),
    "provides_api": ("provides", "provide"),
    "mentioned_with": ("is mentioned with", "are mentioned with"),
}


def name_of(entity_id: str, entities: Mapping[str, Entity]) -> str:
    """Return what an entity is called."""
    known = entities.get(entity_id)
    return known.name if known else entity_id.rpartition("/")[2].replace("-", " ")


def said(relations: Sequence[Relation], entities: Mapping[str, Entity]) -> str:
    """Return edges of one kind with an end in common as a sentence."""
    first = relations[0]
    singular, plural = _SAID.get(first.kind, (first.kind.replace("_", " "),) * 2)
    sources = list(dict.fromkeys(name_of(one.source, entities) for one in relations))
    targets = list(dict.fromkeys(name_of(one.target, entities) for one in relations))
    return f"{listed(sources)} {plural if len(sources) > 1 else singular} {listed(targets)}."


def listed(names: Sequence[str]) -> str:
    """Return names as they are listed in a sentence."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def telling(
    passage: Passage, relation: Relation, entities: Mapping[str, Entity]
) -> tuple[Quote, int] | None:
    """Return where a passage says an edge, and how many of its ends are named there."""
    text = passage.chunk.text
    ends = [_forms(one, entities) for one in (relation.source, relation.target)]
    best: tuple[Quote, int] | None = None
    for start, end in sentence_spans(text):
        words = f" {normal_name(text[start:end])} "
        named = sum(any(form in words for form in forms) for forms in ends)
        if named and (best is None or named > best[1]) and not text[start:end].startswith("#"):
            best = Quote(passage, start, end), named
    return best


def _forms(entity_id: str, entities: Mapping[str, Entity]) -> list[str]:
    known = entities.get(entity_id)
    names = (known.name, *sorted(known.aliases)) if known else (name_of(entity_id, entities),)
    return [f" {normal_name(name)} " for name in names if normal_name(name)]
