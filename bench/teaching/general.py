"""Texts and questions of the public sets. Which text answers which question is not read."""

from __future__ import annotations

import random

from bench.asking.sets import SETS, corpus, questions
from bench.teaching.lessons import General
from sextant.llms.local_nets.wordpiece import WordPiece
from sextant.text.passages import embedding_text

_SETS = (*SETS, "k8s-docs")
_EACH = 1_500
_TOKENS = 200
"""What a text begins with is enough to see whether the encoder strays."""

_SEED = 3


def general(tokenizer: WordPiece, limit: int | None = None) -> General:
    """Return texts drawn of each set, always the same, and the questions, in no order."""
    drawn = random.Random(_SEED)
    texts, asked = list[str](), list[str]()
    for name in _SETS:
        rows = drawn.sample(corpus(name), min(limit or _EACH, _EACH))
        texts += [embedding_text(row["title"], (), row["text"]) for row in rows]
        asked += [one.text for one in questions(name)[:limit]]
    drawn.shuffle(texts)
    drawn.shuffle(asked)
    read = ([tokenizer.ids(text, _TOKENS) for text in own] for own in (texts, asked))
    return General(*read)
