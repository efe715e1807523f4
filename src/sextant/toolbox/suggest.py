"""From an answer to the tools that carry out what its evidence says, each tied to its passage.

Nobody asked for tools by name here, so that only a clear match counts, and no flagged tool.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sextant.ports import Embedder
from sextant.text.blocks.elements import Sort, elements_of
from sextant.text.prose.sentences import sentence_spans
from sextant.toolbox.embedding import embed_request
from sextant.toolbox.flow import select
from sextant.toolbox.index import ToolIndex
from sextant.toolbox.match.postings import common_terms
from sextant.toolbox.match.score import Wanted
from sextant.types import Answer, Citation, Selection, Statement, Tool, ToolRequest

MOST = 3
_MOST_STATEMENTS = 8
"""Points and sentences of an answer; each costs a selection."""
_K = 6
"""Tools that are selected for a statement: three, and what they require."""
_CLEAR = 0.45
"""Likeness from which on a statement calls for a tool. With the default embedder, none of the 163
statements of answers to the sample's train questions comes nearer than 0.40 to any of the bundled
tools; of ten that were written to call for one, eight have 0.54 to 0.91, two 0.35 and 0.39."""
_LINKED = 0.3
"""The same for a tool that is linked to an entity of the question: 75 % of those 163 have less."""
_NEAR_BEST = 0.95
"""Part of the best likeness of a statement that others of its tools must have: "file a Jira issue"
has 0.70 to creating one, and 0.66 to reading one."""
_QUESTION = 0.25
"""What the likeness of the question counts, to order by; not measured."""


@dataclass(frozen=True, slots=True)
class SuggestedTool:
    """A tool, the sentence of an answer that calls for it, and the citation behind that.

    Those that it requires are named; linked are the entities of the question that it belongs to.
    """

    tool: Tool
    statement: str
    label: str
    chunk_id: str
    score: float
    requires: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()


async def suggest_tools(
    index: ToolIndex, embedder: Embedder, answer: Answer
) -> tuple[SuggestedTool, ...]:
    """Return at most three tools that carry out what an answer cites, the clearest first."""
    if not index.tools or not answer.verdict.sufficient:
        return ()
    asked = await embed_request(embedder, answer.question[:_LONGEST])
    towards = _likeness(index, asked.vectors[:1])
    entities = frozenset(_linked_entities(answer))
    best: dict[str, tuple[float, SuggestedTool]] = {}
    for text, citation in _cited(answer):
        wanted = await embed_request(embedder, text)
        for one in _called_for(index, wanted, citation, entities):
            place = index.places[one.tool.id]
            worth = one.score + _QUESTION * float(towards[place]) + bool(one.linked)
            if worth > best.get(one.tool.id, (0.0,))[0]:
                best[one.tool.id] = worth, one
    ranked = sorted(best.values(), key=lambda found: (-found[0], found[1].tool.id))
    return tuple(one for _, one in ranked[:MOST])


_LONGEST = 2_000  # characters; an encoder reads no more


def _cited(answer: Answer) -> Iterator[tuple[str, Citation]]:
    """Yield the points of an answer, then what else its first block says, each with a citation."""
    citations = {one.label: one for one in answer.citations}
    told = [one for one in answer.statements if not one.otherwise and one.text.strip()]
    points = [(one.point, one.labels) for one in told]
    first = next((one for one in told if one.block), None)
    if first:
        points += [(text, first.labels) for text in _sentences(first) if text not in first.point]
    for text, labels in points[:_MOST_STATEMENTS]:
        found = next((citations[own] for own in labels if own in citations), None)
        if found:
            yield text[:_LONGEST], found


def _sentences(block: Statement) -> Iterator[str]:
    """Yield the sentences and items of a block, without its code."""
    for element in elements_of(block.text, "markdown"):
        spans = sentence_spans(block.text, element.start, element.end)
        for start, end in () if element.sort is Sort.CODE else spans:
            if any(map(str.isalpha, block.text[start:end])):
                yield block.text[start:end]


def _linked_entities(answer: Answer) -> Iterator[str]:
    """Yield the ids of the entities that the question names."""
    for step in answer.trace.steps:
        if step.name == "link":
            for one in step.facts.get("entities") or ():  # type: ignore[union-attr]
                yield str(one["id"])  # type: ignore[index,call-overload]


def _called_for(
    index: ToolIndex, wanted: Wanted, citation: Citation, entities: frozenset[str]
) -> Iterator[SuggestedTool]:
    likeness = _likeness(index, wanted.vectors)
    selection = select(index, ToolRequest(wanted.text, _K), wanted)
    floor = max(_CLEAR, _NEAR_BEST * float(likeness.max(initial=0.0)))
    for tool in _candidates(index, selection, entities):
        place = index.places[tool.id]
        linked = tuple(one for one in tool.entity_ids if one in entities)
        score = float(likeness[place])
        if score >= (_LINKED if linked else floor) and _shares_word(index, tool, wanted.text):
            needs = tuple(index.tools[own].id for own in index.links.needs.get(place, ()))
            yield SuggestedTool(
                tool, wanted.text, citation.label, citation.chunk_id, score, needs, linked
            )


def _candidates(index: ToolIndex, selection: Selection, entities: frozenset[str]) -> Iterator[Tool]:
    """Yield what is selected for itself, then what is linked to the question; nothing flagged."""
    own = [one.tool for one in selection.tools if not one.required_by]
    chosen = {tool.id for tool in own}
    linked = [
        tool
        for tool in index.tools
        if tool.id not in chosen and not entities.isdisjoint(tool.entity_ids)
    ]
    return (tool for tool in (*own, *linked) if not tool.flags)


def _likeness(index: ToolIndex, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how near each tool is to the nearest of some texts, by its name or its whole text."""
    known = index.matchable
    each = np.maximum(vectors @ known.names.T, vectors @ known.texts.T)
    return np.asarray(each.max(axis=0))


def _shares_word(index: ToolIndex, tool: Tool, text: str) -> bool:
    """Whether a tool and a text have a word in common that says something."""
    words, common = index.words, common_terms(index.words)
    told = set(words.terms(f"{tool.name} {tool.description[:_LONGEST]}")) - common
    return not told.isdisjoint(words.terms(text))
