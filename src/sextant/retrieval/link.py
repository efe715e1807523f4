"""Names in a question and whom they may mean. Knows names as they are stored, no ranking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sextant.ports import Knowledge
from sextant.query import Query
from sextant.retrieval.spans import Span, apart, left_over, spans_in
from sextant.text.names import normal_name
from sextant.types import Entity, Linked, NameMode, Reach, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

_FOUND_IN = "sextant:found_in"
_TOLD, _UNTOLD = frozenset({"", "title"}), 0.3
"""Where names are found that are worth 1, those of facts nowhere; and what others are worth."""

_SMALL, _ALIAS, _NEARLY, _BY_MEANING = 0.5, 0.5, 0.6, 0.2
"""What it takes off that a name is not written as one, is an alias beside whoever is called so, is
spelt nearly so, or was not written at all."""

_SURE = 0.45
_MOST_ALIKE, _NEAREST, _NEAR_ENOUGH, _ALIKE = 5, 3, 0.4, 0.88


@dataclass(frozen=True, slots=True)
class _Bearer:
    """Somebody who bears a name, nearly or exactly; known means that a document is about it."""

    entity: Entity
    likeness: float
    known: bool

    @property
    def worth(self) -> float:
        """What the name is worth, by where it was found."""
        told = self.known or self.entity.metadata.get(_FOUND_IN, "") in _TOLD
        return 1.0 if told else _UNTOLD

    @property
    def names(self) -> tuple[str, ...]:
        """All names of the entity, as they are written."""
        return (self.entity.name, *self.entity.aliases)

    def is_written(self, word: str) -> bool:
        """Whether a word in small letters is its name, and not merely a word."""
        return _FOUND_IN not in self.entity.metadata or word in self.names


async def link(
    store: Knowledge, scope: Scope, text: str, vector: Vector | None = None
) -> tuple[Linked, ...]:
    """Return whom the names in a text may mean, in the order of the text, the likeliest first."""
    found = await _bearers(store, scope, spans_in(text), NameMode.EXACT)
    named = [span for span, own in found.items() if any(_fits(span, one) for one in own)]
    chosen = apart(span for span in named if not _is_of_question(span, found))
    linked = [one for span in chosen for one in _exact(span, found[span])]
    if all(one.score < _SURE for one in linked):  # many names are compared, which takes its time
        nearly = await _bearers(store, scope, left_over(text, chosen), NameMode.FUZZY)
        linked += [one for span, bearers in nearly.items() for one in _fuzzy(span, bearers)]
    if not linked and vector is not None:
        linked = await _by_meaning(store, scope, vector)
    return tuple(sorted(linked, key=lambda one: (one.start, one.end, -one.score, one.entity_id)))


async def _bearers(
    store: Knowledge, scope: Scope, spans: Iterable[Span], mode: NameMode
) -> dict[Span, list[_Bearer]]:
    """Return for each span that is a name who bears it, and what that is worth."""
    spans = list(spans)
    names = list(dict.fromkeys(span.text for span in spans))
    found = await store.graph.lookup(scope, names, mode, _MOST_ALIKE) if names else {}
    entities = {match.entity.id for matches in found.values() for match in matches}
    known = await _subjects(store, scope, sorted(entities)) if entities else frozenset()
    return {
        span: [_Bearer(one.entity, one.score, one.entity.id in known) for one in found[span.text]]
        for span in spans
        if found[span.text]
    }


async def _subjects(store: Knowledge, scope: Scope, entity_ids: Sequence[str]) -> frozenset[str]:
    """Return whom some document is about."""
    web = await store.graph.web(scope, (), entity_ids, Reach(hops=0))
    return frozenset(name for name, at in web.entities.items() if web.abouts[at])


def _fits(span: Span, bearer: _Bearer) -> bool:
    """Whether a span may mean an entity; in small letters, only what is known as such."""
    if span.is_name:
        return True
    return bearer.worth == 1.0 and (span.words > 1 or bearer.is_written(span.text))


def _is_of_question(span: Span, found: Mapping[Span, Sequence[_Bearer]]) -> bool:
    """Whether a span is a known name with a word of the question: ``leads Team Y``, a heading."""
    if not span.text[0].islower() or any(one.worth == 1.0 for one in found[span]):
        return False
    return any(
        inner.is_name and span.start < inner.start and inner.end == span.end
        for inner, own in found.items()
        if any(one.worth == 1.0 for one in own)
    )


def _exact(span: Span, bearers: Sequence[_Bearer]) -> Iterator[Linked]:
    """Yield whom a span may mean; who is called so himself goes before whom others call so."""
    fitting = [one for one in bearers if _fits(span, one)]
    wanted = normal_name(span.text)
    own = [1.0 if normal_name(one.entity.name) == wanted else _ALIAS for one in fitting]
    written = 1.0 if span.is_name else _SMALL
    for bearer, share in zip(fitting, own, strict=True):
        score = written * bearer.worth * share / sum(own)
        how = "exact" if span.text in bearer.names else "normalised"
        yield _linked(bearer.entity, span, score, how)


def _fuzzy(span: Span, bearers: Sequence[_Bearer]) -> Iterator[Linked]:
    best = [one for one in bearers if one.likeness >= max(_ALIKE, bearers[0].likeness)]
    for one in best:
        yield _linked(one.entity, span, _NEARLY * one.likeness * one.worth / len(best), "fuzzy")


def _linked(entity: Entity, span: Span, score: float, how: str) -> Linked:
    return Linked(entity.id, entity.name, span.text, span.start, span.end, round(score, 6), how)


async def _by_meaning(store: Knowledge, scope: Scope, vector: Vector) -> list[Linked]:
    """Return what the nearest passages are titled after, as a guess."""
    near = (await store.index.search(scope, Query(vector=vector, k=_NEAREST))).matches
    titles = {
        one.passage.document.title: one.score
        for one in reversed(near)
        if one.score >= _NEAR_ENOUGH and one.passage.document.title
    }
    found = await store.graph.lookup(scope, list(titles), NameMode.EXACT, 1) if titles else {}
    return [
        Linked(one.entity.id, one.entity.name, "", 0, 0, round(_BY_MEANING * score, 6), "meaning")
        for title, score in titles.items()
        for one in found[title]
    ]
