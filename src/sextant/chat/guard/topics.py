"""Which topics a text is about: by the words of a topic, or by what its sentences mean.

Knows an embedder, no rule of what is allowed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sextant.ports import Embedder
from sextant.text.embedding import embed_alike
from sextant.text.prose.sentences import sentence_spans
from sextant.text.words import Words

_MOST_SENTENCES = 64
"""Of a long text these are embedded one by one; by its words a topic is found anywhere."""
_LONGEST_SENTENCE = 1_000  # characters; an encoder reads no more
_KEPT = 1_000
"""Vectors of topics that are remembered: pages send the same few with every run."""


@dataclass(frozen=True, slots=True)
class Topics:
    """Finds topics in texts. A topic is near a sentence from a likeness on, by cosine.

    0.2 suits the bundled embedder. It was chosen, with the words around a topic, on six topics: 33
    of 36 sentences about them are found, and 9 of 300 about something else are taken. On six other
    topics it is 28 of 36, and 8 of 300: what may not pass needs a guardrail that reads better.
    """

    embedder: Embedder
    words: Words
    likeness: float
    _vectors: OrderedDict[str, NDArray[np.float32]] = field(
        init=False, default_factory=OrderedDict, repr=False, compare=False
    )

    async def found_in(self, text: str, topics: Sequence[str]) -> tuple[str, ...]:
        """Return those of some topics that a text is about anywhere, in their order."""
        if not topics or not text.strip():
            return ()
        terms = self.words.terms(text)
        by_words = {one for one in topics if _has_phrase(terms, self.words.terms(one))}
        left = [one for one in topics if one not in by_words]
        by_meaning = await self._near(text, left) if left else set()
        return tuple(one for one in topics if one in by_words or one in by_meaning)

    async def _near(self, text: str, topics: Sequence[str]) -> set[str]:
        sentences = [text[start:end][:_LONGEST_SENTENCE] for start, end in sentence_spans(text)]
        shown = [text[:_LONGEST_SENTENCE], *sentences[:_MOST_SENTENCES]]
        vectors = await embed_alike(self.embedder, shown, "query")
        likenesses = await self._vectors_of(topics) @ vectors.T
        best = likenesses.max(axis=1)
        return {topic for topic, own in zip(topics, best, strict=True) if own >= self.likeness}

    async def _vectors_of(self, topics: Sequence[str]) -> NDArray[np.float32]:
        known = self._vectors
        if new := [one for one in topics if one not in known]:
            asked = [f"A question about {one}." for one in new]
            made = await embed_alike(self.embedder, asked, "query")
            known.update(zip(new, made, strict=True))
        rows = np.stack([known[one] for one in topics])
        for one in topics:
            known.move_to_end(one)
        while len(known) > _KEPT:
            known.popitem(last=False)
        return rows


def _has_phrase(terms: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether some terms stand in a text one behind the other."""
    size = len(phrase)
    ends = len(terms) - size + 1
    return bool(size) and any(terms[at : at + size] == phrase for at in range(ends))
