"""How passages are marked for whoever searches: what to be careful with, and nothing left out."""

from __future__ import annotations

from sextant.text.orders.detect import has_order
from sextant.types import Passage

ORDER = "order"
"""Something in the passage, or what it is called by, reads like an order to an assistant."""


def marks_of(passage: Passage) -> tuple[str, ...]:
    """Return what a passage is marked with."""
    document, chunk = passage.document, passage.chunk
    texts = (chunk.text, document.title, *chunk.headings, document.id, document.url)
    return (ORDER,) if any(map(has_order, texts)) else ()
