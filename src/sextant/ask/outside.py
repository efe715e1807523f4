"""What an outside retriever found, as hits that the rest of the line can take. Knows no protocol.

Nothing is known of such a text but its source, so its id and its version are made from it: the
same text of the same source is the same passage every time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import zip_longest
from urllib.parse import unquote, urlsplit

from sextant.retrieval.rank import rank
from sextant.retrieval.retrieve import Candidate
from sextant.types import Chunk, Document, Hit, Legs, Passage, Retrieval, Weights

FOREIGN = "foreign:"
"""What the ids of such documents and chunks start with; no store has them."""

_TITLE = 200
_URL = 2_000
_DEPTH = 20
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)
"""Nothing here has a date, so the day does not count."""

_LINKED = re.compile(
    r"\A\s*\[([^\[\]]{1,500})\]\(\s*(https?://[^\s()<>]+)\s*\)\s*\Z", re.IGNORECASE
)
_AROUND = " \t\n-\u2013\u2014:|()[]<>,;"
_ADDRESS = re.compile(r"https?://[^\s()<>\[\]\"']+", re.IGNORECASE)


def hits_of(retrievals: Sequence[Retrieval], weights: Weights | None = None) -> tuple[Hit, ...]:
    """Return what was found as hits, each text once; the earlier it came, the better it ranks."""
    candidates: dict[str, Candidate] = {}
    for place, text, source in _in_turn(retrievals):
        passage = _passage(text, source)
        candidate = Candidate(passage, max(0.0, 1.0 - place / _DEPTH), Legs())
        candidates.setdefault(passage.chunk.id, candidate)
    return rank(tuple(candidates.values()), weights or Weights(), _ANY_DAY)


def _in_turn(retrievals: Sequence[Retrieval]) -> Iterator[tuple[int, str, str]]:
    """Yield the first of all, then the second of all, and so on, each with its place."""
    lists = [list(zip(one.texts, one.sources, strict=True)) for one in retrievals]
    for place, row in enumerate(zip_longest(*lists)):
        for found in row:
            if found is not None:
                yield place, *found


def _passage(text: str, source: str) -> Passage:
    title, url = _title_and_address(source)
    document = Document(f"{FOREIGN}{_digest(source)}", title, url)
    chunk = Chunk(f"{FOREIGN}{_digest(source, text)}", text, 0, len(text))
    return Passage(chunk, document, _digest(text))


def _title_and_address(source: str) -> tuple[str, str]:
    """Return the title and the address in what a retriever calls a source; it may be either."""
    linked = _LINKED.match(source)
    if linked:
        return _short(linked[1]), linked[2][:_URL]
    address = _ADDRESS.search(source)
    if address is None:
        return _short(source), ""
    beside = f"{source[: address.start()]} {source[address.end() :]}".strip(_AROUND)
    return _short(beside or _last_part(address[0])), address[0][:_URL]


def _last_part(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    return unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.netloc


def _short(title: str) -> str:
    return " ".join(title.split())[:_TITLE]


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:16]
