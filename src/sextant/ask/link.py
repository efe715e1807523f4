"""Names in a question and whom they may mean. Knows names as they are stored, no ranking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sextant.ports import Store
from sextant.text.sentences import OPENERS
from sextant.types import Linked, NameMatch, NameMode, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = re.compile(r"\w[\w.&+'-]*\w|\w")
_LONGEST = 8
_MOST_WORDS = 400
_MOST_ALIKE = 5


async def link(
    store: Store, scope: Scope, text: str, vector: NDArray[np.float32] | None = None
) -> tuple[Linked, ...]:
    """Return whom the names in a text may mean, in the order of the text, the likeliest first."""
    words = list(_WORD.finditer(text))[:_MOST_WORDS]
    spans = [(one.start(), other.end()) for one, other in _runs(words)]
    names = list(dict.fromkeys(text[start:end] for start, end in spans))
    found = await store.lookup(scope, names, NameMode.EXACT, _MOST_ALIKE) if names else {}
    linked: list[Linked] = []
    taken = 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        matches = found[text[start:end]]
        if start >= taken and matches:
            taken = end
            linked += _linked(matches, text, start, end)
    return tuple(linked)


def _runs(words: Sequence[re.Match[str]]) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    for at, word in enumerate(words):
        if word.group().lower() in OPENERS:
            continue
        for last in words[at : at + _LONGEST]:
            yield word, last


def _linked(matches: Sequence[NameMatch], text: str, start: int, end: int) -> Iterator[Linked]:
    for match in matches:
        score = match.score / len(matches)
        yield Linked(
            match.entity.id, match.entity.name, text[start:end], start, end, score, "exact"
        )
