"""Edges of the graph in words, and where a source says them. Knows English, no question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sextant.ask.quotes import Quote
from sextant.text.names import normal_name
from sextant.text.orders import has_order, is_within, orders_in
from sextant.text.prose.headings import heading_of
from sextant.text.prose.sentences import sentence_spans
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
_WORDS = {
    "depends_on": "depend need rel requir without",
    "owned_by": "own maintain run operat manag responsib look",
    "escalates_to": "escalat call page",
    "part_of": "part belong component includ consist contain",
    "fails_over_to": "fail back standby replica",
    "reports_to": "lead led report manag head",
    "replaces": "replac supersed success instead",
    "precedes": "preced before after follow",
    "causes": "caus trigger break broke block stop due",
    "located_in": "locat deploy host run region",
}


@dataclass(frozen=True, slots=True)
class Telling:
    """A sentence that says an edge, and whether it names both of its ends."""

    quote: Quote
    whole: bool
    rating: float


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
    return f"{_listed(sources)} {plural if len(sources) > 1 else singular} {_listed(targets)}."


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def telling(passage: Passage, relation: Relation, entities: Mapping[str, Entity]) -> Telling | None:
    """Return the sentence of a passage that says an edge best, if one names an end of it.

    A document's own subject need not be named in it. A passage says no edge that an
    order in it names, and nobody is called by an order.
    """
    text = passage.chunk.text
    if any(has_order(name_of(one, entities)) for one in (relation.source, relation.target)):
        return None
    orders = orders_in(text)
    ends = [_forms(one, entities) for one in (relation.source, relation.target)]
    title = _spelt(passage.document.title)
    implied = [any(form == title for form in forms) for forms in ends]
    verb = _verb(relation.kind)
    best: Telling | None = None
    for start, end in sentence_spans(text):
        words = _spelt(text[start:end])
        named = [any(form in words for form in forms) for forms in ends]
        if not any(named) or heading_of(text[start:end]):
            continue
        known = sum(own or meant for own, meant in zip(named, implied, strict=True))
        if is_within(orders, start, end):
            if known == len(ends):
                return None
            continue
        rating = known + 0.25 * sum(named) + bool(verb.search(words))
        if best is None or rating > best.rating:
            best = Telling(Quote(passage, _unquoted(text, start), end), all(named), rating)
    return best


def _unquoted(text: str, start: int) -> int:
    """Return where a sentence starts behind the marks of a quote."""
    while text[start] in "> \t":
        start += 1
    return start


@lru_cache(256)
def _verb(kind: str) -> re.Pattern[str]:
    stems = _WORDS.get(kind, kind.partition("_")[0].rstrip("s")).split()
    return re.compile(rf" (?:{'|'.join(map(re.escape, stems))})")


def _spelt(text: str) -> str:
    return f" {normal_name(text)} "


def _forms(entity_id: str, entities: Mapping[str, Entity]) -> list[str]:
    known = entities.get(entity_id)
    names = (known.name, *sorted(known.aliases)) if known else (name_of(entity_id, entities),)
    return [_spelt(name) for name in names if normal_name(name)]
