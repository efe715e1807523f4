"""What teaching is to make small. Knows vectors and odds, no encoder."""

from __future__ import annotations

import torch
from torch.nn import functional

from bench.teaching.batches import Batch, Vectors
from bench.teaching.head import Head

LEAST = -1e9
"""The log odds of a piece that is not there."""

_ANSWERED = 0.35
"""What a question with an answer counts for beside a near miss: they are far more."""

WEIGHTS = {"looked at": 1.0, "at all": 1.0, "whether": 2.0, "near": 0.5, "general": 8.0}
"""What each counts for. To stay near the original on general texts counts most: passages are still
found by how alike two texts are, and nobody teaches that anew."""


def odds_of(head: Head, vectors: Vectors, batch: Batch) -> torch.Tensor:
    """Return a row for each question with the log odds of the pieces that are looked at."""
    odds = head.log_odds(vectors.questions[:, None].expand_as(vectors.pieces), vectors.pieces)
    return odds.masked_fill(~batch.known, LEAST)


def answering(head: Head, vectors: Vectors, batch: Batch) -> dict[str, torch.Tensor]:
    """Return how badly the answer is told: from what is looked at, from all, and from nothing."""
    odds = odds_of(head, vectors, batch)
    answered = batch.answers.any(1)
    return {
        "looked at": _first(odds[answered], batch.answers[answered]),
        "at all": _own(head, vectors, batch, answered),
        "whether": functional.binary_cross_entropy_with_logits(
            odds.amax(1), answered.float(), pos_weight=torch.tensor(_ANSWERED, device=odds.device)
        ),
    }


def strayed(taught: torch.Tensor, original: torch.Tensor) -> torch.Tensor:
    """Return how far vectors point elsewhere than they did."""
    return (1 - functional.cosine_similarity(taught, original)).mean()


def _first(odds: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    """Return how unlikely it is that an answer is drawn from the pieces of its question."""
    right = odds.masked_fill(~answers, LEAST).logsumexp(1)
    return (odds.logsumexp(1) - right).sum() / max(1, len(odds))


def _own(head: Head, vectors: Vectors, batch: Batch, answered: torch.Tensor) -> torch.Tensor:
    """Return how unlikely it is that a question's answer is drawn from those of all questions."""
    answers = batch.answers[answered]
    count = len(answers)
    first = answers.int().argmax(1)
    pieces = vectors.pieces[answered][torch.arange(count, device=first.device), first]
    shape = (count, count, pieces.shape[-1])
    questions = vectors.questions[answered][:, None].expand(shape)
    odds = head.log_odds(questions, pieces[None].expand(shape))
    spans = batch.spans[answered][torch.arange(count, device=first.device), first]
    same = (spans[:, None] == spans[None]).all(-1) & ~torch.eye(
        count, dtype=torch.bool, device=first.device
    )
    odds = odds.masked_fill(same, LEAST)
    return (odds.logsumexp(1) - odds.diagonal()).sum() / max(1, count)
