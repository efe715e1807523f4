"""An embedder that only counts letters: enough to show what an embedder has to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sextant.plugins import EmbedderIdentity, Purpose, Settings, section


@dataclass(frozen=True)
class LettersSettings:
    """The table ``[letters]``."""

    width: int = 64


class Letters:
    """Counts letters by their code, modulo the width."""

    def __init__(self, width: int) -> None:
        self.identity = EmbedderIdentity(f"letters-{width}", width)

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Return one row of length 1 for each text; questions are counted like documents."""
        del purpose
        width = self.identity.width
        rows = np.zeros((len(texts), width), np.float32)
        for row, text in zip(rows, texts, strict=True):
            np.add.at(row, [ord(letter) % width for letter in text.lower()] or [0], 1.0)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    async def close(self) -> None:
        """Hold nothing open."""


def open_embedder(rest: str, settings: Settings) -> Letters:
    """Open ``letters:``; what stands behind the colon is not used."""
    del rest
    return Letters(section(settings, "letters", LettersSettings).width)
