"""What goes to an outside retriever, and what must come back. Knows no protocol."""

from __future__ import annotations

from typing import Any

from sextant.errors import BrokenFile, TooMuch
from sextant.types import Retrieval, RetrievalRequest

MOST_CHUNKS = 20
LONGEST_TEXT = 50_000
LONGEST_SOURCE = 2_000
SHAPE_HINT = "It must answer with query_used, chunk_texts and chunk_sources: a text and two lists."


def asked(ask: RetrievalRequest) -> dict[str, str]:
    """Return a request in the words of the workflow."""
    return {
        "user_question": ask.question,
        "query": ask.query,
        "retrieval_goal": ask.goal,
        "filter": ask.filter,
    }


def retrieval_of(value: object, whose: str) -> Retrieval:
    """Return what a retriever found, or say why its answer cannot be taken."""
    if not isinstance(value, dict):
        raise BrokenFile(f"{whose} answered with no object.", SHAPE_HINT)
    query = value.get("query_used")
    if not isinstance(query, str):
        raise BrokenFile(f"{whose} answered without query_used.", SHAPE_HINT)
    texts = _texts(value, "chunk_texts", LONGEST_TEXT, whose)
    sources = _texts(value, "chunk_sources", LONGEST_SOURCE, whose)
    if len(texts) != len(sources):
        raise BrokenFile(
            f"{whose} answered with {len(texts)} texts and {len(sources)} sources.", SHAPE_HINT
        )
    pairs = list(zip(texts, sources, strict=True))[:MOST_CHUNKS]
    kept = [(text, source) for text, source in pairs if text.strip()]
    return Retrieval(
        _whole(query)[:LONGEST_SOURCE],
        tuple(text for text, _ in kept),
        tuple(source for _, source in kept),
        left_out=len(texts) - len(pairs),
    )


def _texts(value: dict[Any, Any], name: str, longest: int, whose: str) -> list[str]:
    given = value.get(name)
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise BrokenFile(f"{whose} answered without {name}, a list of texts.", SHAPE_HINT)
    if any(len(one) > longest for one in given[:MOST_CHUNKS]):
        raise TooMuch(
            f"{whose} answered with {name} of more than {longest:,} characters.",
            "Let it cut them into smaller ones.",
        )
    return [_whole(one) for one in given]


def _whole(text: str) -> str:
    """Return a text without halves of surrogate pairs, which JSON can spell."""
    return text.encode("utf-8", "replace").decode()
