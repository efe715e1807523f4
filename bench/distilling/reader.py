"""MiniLM as it is shipped, in PyTorch: it tells what pieces are about, and whether they answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from bench.teaching.encoder import Encoder, untaught
from bench.teaching.head import Head
from bench.teaching.padding import Padded, mean
from sextant.llms.minilm import answers, tuning


@dataclass(frozen=True, slots=True)
class Reader:
    """An encoder, and the net that tells odds of what it says."""

    encoder: Encoder
    head: Head

    def rows(self, ids: torch.Tensor, known: torch.Tensor | None = None) -> torch.Tensor:
        """Return a row for each token."""
        with torch.no_grad():
            shown = torch.ones_like(ids, dtype=torch.bool) if known is None else known
            return self.encoder.rows(Padded(ids, shown)).float()

    def vectors(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the mean row of each text, which zeros fill up."""
        known = ids > 0
        return mean(self.rows(ids, known), Padded(ids, known))

    def odds(self, asked: torch.Tensor, pieces: torch.Tensor, least: float) -> torch.Tensor:
        """Return a row for each question: the odds of all pieces, none of them less than that."""
        shape = (len(asked), len(pieces), asked.shape[-1])
        told = self.head.log_odds(asked[:, None].expand(shape), pieces[None].expand(shape))
        return told.clamp(min=least)


def opened(model: Path, device: str) -> Reader:
    """Read the shipped model with all that it was taught."""
    pupil = untaught(device, model)
    taught = _numbers(Path(str(tuning.FILE)), device)
    encoder = type(pupil)(pupil.released, pupil.learnt | taught).encoder()
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    weights = {name: own.to(kind) for name, own in encoder.weights.items()}
    whole = Encoder(encoder.words.to(kind), encoder.places.to(kind), weights)
    return Reader(whole, Head(_numbers(Path(str(answers.FILE)), device)))


def _numbers(path: Path, device: str) -> dict[str, torch.Tensor]:
    kept = np.load(path)
    return {name: torch.tensor(kept[name], dtype=torch.float32).to(device) for name in kept.files}
