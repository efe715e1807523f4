"""The small head that tells whether a piece of text is what a question asks for.

It is the same sum as in sextant.llms.minilm.answers_graph, with the names that numbers have there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch.nn import functional

from sextant.llms.minilm.answers_graph import STRETCH

_WIDTH, _INNER = 384, 64
_STEEP, _SHIFT = 16.0, -8.0
"""At first two texts are as likely alike as not where their cosine is a half."""


@dataclass(frozen=True, slots=True)
class Head:
    """How alike a question that is turned a little is to a piece, and where the two differ."""

    learnt: dict[str, torch.Tensor]

    def log_odds(self, questions: torch.Tensor, pieces: torch.Tensor) -> torch.Tensor:
        """Return how likely each piece is what the question in the same place asks for."""
        own, asked, piece = self.learnt, _unit(questions), _unit(pieces)
        alike = (_unit(asked @ own["turn"].T) * piece).sum(-1)
        both = torch.cat([asked * piece, (asked - piece).abs()], -1) * float(STRETCH)
        bent = torch.tanh(both @ own["inner"] + own["inner_bias"])
        return own["scale"][0] * alike + own["scale"][1] + bent @ own["outer"] + own["outer_bias"]


def new_head(device: str) -> Head:
    """Return a head that tells little but how alike two texts are."""
    learnt = {
        "turn": torch.eye(_WIDTH),
        "scale": torch.tensor([_STEEP, _SHIFT]),
        "inner": _small(2 * _WIDTH, 2 * _WIDTH, _INNER),
        "inner_bias": _small(2 * _WIDTH, _INNER),
        "outer": _small(_INNER, _INNER),
        "outer_bias": _small(_INNER, 1),
    }
    return Head({name: tensor.to(device) for name, tensor in learnt.items()})


def cosine(questions: torch.Tensor, pieces: torch.Tensor) -> torch.Tensor:
    """Return how alike each piece is to the question in the same place."""
    return (_unit(questions) * _unit(pieces)).sum(-1)


def _unit(vectors: torch.Tensor) -> torch.Tensor:
    return functional.normalize(vectors, dim=-1)


def _small(inputs: int, *shape: int) -> torch.Tensor:
    """Return numbers drawn so that a sum over so many inputs is about as large as each of them."""
    return (2 * torch.rand(shape) - 1) / math.sqrt(inputs)
