"""What the released encoder says of all there is to learn from, asked once for all steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from bench.teaching.batches import Batch
from bench.teaching.encoder import Encoder
from bench.teaching.lessons import Course, General, Ids
from bench.teaching.padding import padded

_BATCH = 128


@dataclass(frozen=True, slots=True)
class Original:
    """Vectors of the passages and questions of each course, and of general texts and questions."""

    passages: Mapping[str, torch.Tensor]
    questions: Mapping[str, torch.Tensor]
    general_texts: torch.Tensor
    general_questions: torch.Tensor

    def passages_of(self, batch: Batch) -> torch.Tensor:
        """Return those of a batch's passages."""
        return torch.stack([self.passages[course.name][at] for course, at in batch.places])

    def questions_of(self, batch: Batch) -> torch.Tensor:
        """Return those of a batch's questions."""
        return torch.stack([self.questions[course.name][at] for course, at in batch.items])


def original(encoder: Encoder, courses: Sequence[Course], general: General) -> Original:
    """Ask an encoder for all its vectors."""
    return Original(
        {one.name: all_vectors(encoder, [own.ids for own in one.passages]) for one in courses},
        {one.name: all_vectors(encoder, [own.ids for own in one.lessons]) for one in courses},
        all_vectors(encoder, general.texts),
        all_vectors(encoder, general.questions),
    )


def all_vectors(encoder: Encoder, texts: Sequence[Ids]) -> torch.Tensor:
    """Return a vector for each text, by as many steps as it takes."""
    with torch.no_grad():
        return torch.cat(
            [
                encoder.vectors(padded(texts[at : at + _BATCH], encoder.device))
                for at in range(0, len(texts), _BATCH)
            ]
        )
