"""Texts of different lengths side by side, and the means of what is said of their tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True)
class Padded:
    """The ids of texts, a row for each, and which of them are not there for the length alone."""

    ids: torch.Tensor
    known: torch.Tensor


def padded(texts: Sequence[Sequence[int]], device: str | torch.device) -> Padded:
    """Return texts, each as long as the longest."""
    longest = max(map(len, texts))
    ids = torch.tensor([[*own, *[0] * (longest - len(own))] for own in texts])
    lengths = torch.tensor([len(own) for own in texts])
    known = torch.arange(longest)[None] < lengths[:, None]
    return Padded(ids.to(device), known.to(device))


def mean(rows: torch.Tensor, texts: Padded) -> torch.Tensor:
    """Return the mean of each text's rows."""
    known = texts.known[..., None]
    return (rows * known).sum(1) / known.sum(1)


def means(rows: torch.Tensor, spans: torch.Tensor) -> torch.Tensor:
    """Return the mean of the rows in each span: of which text, from which token, to which."""
    text, start, end = spans.unbind(-1)
    sums = torch.cat([torch.zeros_like(rows[:, :1]), rows.cumsum(1)], 1)
    return (sums[text, end] - sums[text, start]) / (end - start)[..., None]
