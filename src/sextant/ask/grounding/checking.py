"""One sentence after the other, held against what it cites. Remembers what each source tells.

Knows when to ask the embedder: only in doubt, and only about the pieces in question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sextant.ask.grounding.citing import Sentence, parsed
from sextant.ask.grounding.evidence import Piece, pieces_of
from sextant.ask.grounding.framing import is_denial, is_frame
from sextant.ask.grounding.sources import Source
from sextant.ask.grounding.splitting import Kind, Saying
from sextant.ask.grounding.support import DOUBTFUL, NEAR, SURE, Support, support
from sextant.errors import EmbedderError
from sextant.ports import Embedder
from sextant.text.code_spans import code_in, code_spans
from sextant.text.embedding import embed_alike
from sextant.text.words import Words

_MOST = 24
"""So many sentences of an answer may be compared by their sense."""

_MEASURED = ("minilm:", "bge-fast:", "bge:")
"""The embedders that have MiniLM compare; for others the same sense lies nearer or farther."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence, the pieces of its sources that say it, and whether it only holds others together.

    With neither it is unsupported.
    """

    saying: Saying
    sentence: Sentence
    sources: tuple[Source, ...] = ()
    pieces: tuple[Piece, ...] = ()
    is_frame: bool = False
    is_denial: bool = False

    @property
    def is_said(self) -> bool:
        """Whether its sources say it."""
        return bool(self.pieces)


@dataclass(slots=True)
class Checker:
    """Holds sentences against sources, for one question."""

    question: str
    sources: Sequence[Source]
    words: Words
    embedder: Embedder | None = None
    compared: int = 0
    _pieces: dict[str, tuple[Piece, ...]] = field(default_factory=dict)

    async def check(self, saying: Saying) -> Checked:
        """Return what is to be thought of a piece of prose."""
        sentence = parsed(saying.text, self.sources)
        if saying.kind is Kind.CODE or not sentence.text:
            return Checked(saying, sentence)
        if sentence.sources:
            return await self._supported(saying, sentence)
        leads = saying.kind is Kind.HEADING or sentence.text.endswith(":")
        return Checked(
            saying,
            sentence,
            is_frame=leads and is_frame(sentence.text, self.question, self.words),
            is_denial=not leads and is_denial(sentence.text, self.question, self.words),
        )

    async def _supported(self, saying: Saying, sentence: Sentence) -> Checked:
        if not _has_code_of(sentence):
            return Checked(saying, sentence)
        pieces = [piece for one in sentence.sources for piece in self._told(one)]
        found = support(sentence.text, pieces, self.words)
        if not await self._holds(found):
            return Checked(saying, sentence)
        used = {piece.unit.passage.chunk.id for piece in found.pieces}
        sources = tuple(one for one in sentence.sources if one.passage.chunk.id in used)
        return Checked(saying, sentence, sources, found.pieces)

    async def _holds(self, found: Support) -> bool:
        if not DOUBTFUL <= found.share < SURE:
            return found.share >= SURE
        self.compared += 1
        return await holds(found, self.embedder if self.compared <= _MOST else None)

    def _told(self, source: Source) -> tuple[Piece, ...]:
        key = source.passage.chunk.id
        if key not in self._pieces:
            self._pieces[key] = pieces_of(source.passage, self.words)
        return self._pieces[key]


def _has_code_of(sentence: Sentence) -> bool:
    """Whether all code in a sentence stands in a source of it, sign by sign and to its end."""
    spans = code_spans(sentence.text)
    code = [code_in(sentence.text[start:end]) for start, end in spans]
    texts = [one.passage.chunk.text for one in sentence.sources]
    whole = [re.compile(rf"(?<![\w./*-]){re.escape(own)}(?![\w./*-])") for own in code]
    return all(any(own.search(text) for text in texts) for own in whole)


async def holds(found: Support, embedder: Embedder | None) -> bool:
    """Whether that is support enough: by words, or in doubt by the sense, if that was measured."""
    if not DOUBTFUL <= found.share < SURE:
        return found.share >= SURE
    if embedder is None or not embedder.identity.name.startswith(_MEASURED):
        return False
    try:
        return await nearness(embedder, found) >= NEAR
    except EmbedderError:
        return False


async def nearness(embedder: Embedder, found: Support) -> float:
    """Return how near in sense the weakest part of a sentence lies to one of its pieces."""
    told = [text for piece in found.pieces for text in (piece.unit.text, *piece.texts)]
    vectors = await embed_alike(embedder, [found.weakest, *told], "document")
    return float(np.max(vectors[1:] @ vectors[0]))
