"""Passages that have no vectors yet, read while a question waits. Nothing of it is stored.

Knows no ranking: whoever asks says which passages matter most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from sextant.errors import SextantError
from sextant.limits import check_vectors
from sextant.ports import Embedder
from sextant.retrieval.recorder import Notes, Recorder
from sextant.text.embedding import Embedded, embedded
from sextant.text.passages import embeddable
from sextant.types import Match, Passage, Pieces, Scope

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

NoteUnembedded = Callable[[Scope, Iterable[str]], None]
"""Hears which documents a question met without vectors, those that matter most last."""

_Key = tuple[str, str]


def ignore_unembedded(_: Scope, __: Iterable[str]) -> None:
    """Do without hearing of them."""


@dataclass(slots=True)
class LateVectors:
    """What an embedder says of passages that have no vectors yet: of so many for one question.

    Each is read once. Where the embedder fails or the time is over, the rest goes on without.
    """

    embedder: Embedder
    recorder: Recorder
    most: int
    seconds: float
    failure: str = ""
    _read: dict[_Key, Embedded] = field(default_factory=dict)
    _met: set[_Key] = field(default_factory=set)

    def is_met(self, passage: Passage) -> bool:
        """Whether the question met this passage, and it had no vector."""
        return _key(passage) in self._met

    async def filled(
        self, vector: Vector | None, matches: Mapping[str, Match], first: Sequence[str]
    ) -> dict[str, Match]:
        """Return the matches with the cosines of those that were or now are read, in this order."""
        if vector is None:
            return dict(matches)
        late = {name: one for name, one in matches.items() if not one.is_embedded}
        self._met.update(_key(one.passage) for one in late.values())
        await self.read(late[name].passage for name in first if name in late)
        return {**matches, **{name: self._with_cosine(one, vector) for name, one in late.items()}}

    async def read(self, passages: Iterable[Passage]) -> None:
        """Read those of these passages that are not read yet, the first ones first."""
        wanted = {_key(one): one for one in passages if _key(one) not in self._read}
        chosen = dict(list(wanted.items())[: self.most - len(self._read)])
        if not chosen or self.failure or not self.recorder.affords("reading"):
            return
        texts = {key: embeddable(one.document, one.chunk) for key, one in chosen.items()}
        try:
            async with asyncio.timeout(min(self.seconds, self.recorder.left(inf))):
                said = await embedded(self.embedder, list(dict.fromkeys(texts.values())))
            width = self.embedder.identity.width
            check_vectors(np.stack([one.vector for one in said.values()]), len(said), width)
        except TimeoutError:
            self.failure = "the embedder took too long"
        except SextantError as error:
            self.failure = f"the embedder failed: {error.message}"
        else:
            self._read |= {key: said[text] for key, text in texts.items()}

    def pieces(self, passages: Iterable[Passage]) -> dict[str, Pieces]:
        """Return the pieces of those that were read, as far as the embedder tells any."""
        found = {one.chunk.id: self._read.get(_key(one)) for one in passages}
        return {name: one.pieces for name, one in found.items() if one and one.pieces}

    def note(self, notes: Notes, passages: Collection[Passage]) -> None:
        """Tell in a step how many of the passages had no vectors yet, and how many were read."""
        met = [one for one in passages if self.is_met(one)]
        if not met:
            return
        read = sum(_key(one) in self._read for one in met)
        notes.facts |= {"unembedded": len(met), "read_meanwhile": read}
        told = f"{len(met)} of {len(passages)} passages have no vectors yet"
        if read == len(met):
            told += ", so the question read them."
        else:
            why = f", as {self.failure}" if self.failure else ""
            told += f": the question read {read} of them, the others go by words{why}."
        notes.fallback = f"{notes.fallback} {told}".strip()

    def _with_cosine(self, match: Match, vector: Vector) -> Match:
        said = self._read.get(_key(match.passage))
        if said is None:
            return match
        return replace(match, vector=float(said.vector.astype(np.float64) @ vector))


def _key(passage: Passage) -> _Key:
    return passage.chunk.id, passage.version
