"""What an embedder reads of a chunk: its text under its title and headings."""

from __future__ import annotations

from collections.abc import Sequence

from sextant.types import Put

_MOST = 20_000
"""More characters than any embedder reads, and fewer than any refuses."""


def embedding_text(title: str, headings: Sequence[str], text: str) -> str:
    """Return the text to embed; whoever embeds a chunk again must get the same."""
    lead = " > ".join(part for part in (title, *headings) if part)
    return (f"{lead}\n{text}" if lead else text)[:_MOST]


def embedding_texts(put: Put) -> list[str]:
    """Return what to embed of each chunk of a unit."""
    title = put.document.title
    return [embedding_text(title, chunk.headings, chunk.text) for chunk in put.chunks]
