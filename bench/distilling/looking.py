"""How well vectors alone find what answers, on the public sets; nothing is learnt from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from bench.asking.sets import SETS, corpus, questions
from bench.distilling.teacher import CLS, SEP
from sextant.llms.local_nets.wordpiece import WordPiece
from sextant.text.passages import embedding_text

_FEW, _MANY = 5, 10
_BY_GAIN = "scifact"
"""This set is judged by nDCG@10, the others by R@5."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A set as tokens, and the places of the passages that answer each question."""

    name: str
    passages: Sequence[Sequence[int]]
    questions: Sequence[Sequence[int]]
    gold: Sequence[frozenset[int]]


def looked_at(tokenizer: WordPiece, instruction: Sequence[int], most: int) -> list[Looked]:
    """Read the sets as an encoder does."""
    return [_set(name, tokenizer, instruction, most) for name in SETS]


def score(one: Looked, asked: torch.Tensor, passages: torch.Tensor) -> float:
    """Return the mean over the questions, in per cent."""
    best = (asked @ passages.T).topk(_MANY, 1).indices.tolist()
    judge = _gain if one.name == _BY_GAIN else _recall
    return 100 * sum(map(judge, best, one.gold)) / len(one.gold)


def _set(name: str, tokenizer: WordPiece, instruction: Sequence[int], most: int) -> Looked:
    rows, asked = corpus(name), questions(name)
    places = {row["id"]: at for at, row in enumerate(rows)}
    return Looked(
        name,
        [tokenizer.ids(embedding_text(row["title"], (), row["text"]), most) for row in rows],
        [[CLS, *instruction, *tokenizer.ids(one.text, most)[1:-1], SEP] for one in asked],
        [frozenset(places[gold] for gold in one.gold) for one in asked],
    )


def _recall(best: Sequence[int], gold: frozenset[int]) -> float:
    return len(gold.intersection(best[:_FEW])) / len(gold)


def _gain(best: Sequence[int], gold: frozenset[int]) -> float:
    worth = [1 / math.log2(at + 2) for at in range(_MANY)]
    found = sum(own for own, one in zip(worth, best, strict=True) if one in gold)
    return found / sum(worth[: len(gold)])
