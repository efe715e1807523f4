"""Embedding texts so that one on which the embedder fails leaves the others theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sextant.errors import EmbedderError, SextantError
from sextant.limits import check_vectors
from sextant.ports import Embedder
from sextant.text.embedding import Embedded, embedded
from sextant.text.passages import Embeddable

_PLAIN = "A plain sentence."
"""What any embedder can embed that works at all."""


@dataclass(slots=True)
class Outcome:
    """What an embedder said of texts, and why it said nothing of some."""

    said: dict[Embeddable, Embedded] = field(default_factory=dict)
    failed: dict[Embeddable, str] = field(default_factory=dict)


async def embed_texts(embedder: Embedder, texts: Sequence[Embeddable], outcome: Outcome) -> None:
    """Embed texts; an embedder that cannot do a plain sentence either raises an EmbedderError."""
    try:
        outcome.said |= await _checked(embedder, texts)
    except Exception as error:  # whatever a text makes anybody do stays with it
        await _check_that_it_works(embedder, error)
        await _embed_apart(embedder, texts, error, outcome)


async def _embed_apart(
    embedder: Embedder, texts: Sequence[Embeddable], error: Exception, outcome: Outcome
) -> None:
    """Embed each half by itself, down to the texts that fail."""
    if len(texts) == 1:
        outcome.failed[texts[0]] = reason_of(error)
        return
    middle = len(texts) // 2
    for half in (texts[:middle], texts[middle:]):
        try:
            outcome.said |= await _checked(embedder, half)
        except Exception as own:  # as above
            await _embed_apart(embedder, half, own, outcome)


async def _checked(
    embedder: Embedder, texts: Sequence[Embeddable]
) -> Mapping[Embeddable, Embedded]:
    """Embed texts, and refuse vectors that no store would take."""
    said = await embedded(embedder, texts)
    for one in said.values():
        check_vectors(one.vector[None], 1, embedder.identity.width)
    return said


async def _check_that_it_works(embedder: Embedder, error: Exception) -> None:
    try:
        await embedder.embed([_PLAIN], "document")
    except Exception:
        hint = error.hint if isinstance(error, SextantError) else "Run it again later."
        raise EmbedderError(f"The embedder does not work: {reason_of(error)}", hint) from error


def reason_of(error: Exception) -> str:
    """Return why it failed, of somebody else's code only what sort of error it was."""
    if isinstance(error, SextantError):
        return error.message
    return f"The embedder failed ({type(error).__name__})."
