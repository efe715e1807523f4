"""The clauses of a sentence: each has to be said, and a false one does not hide among true ones.

Knows English conjunctions, no source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sextant.ask.grounding.wording import stems_of
from sextant.text.words import Words

_ANY = re.compile(
    r"[;:]\s+|,\s+|\s+(?=(?:and|but|or|while|whereas|which|who|because|although|though|so|if|when|"
    r"unless|until|after|before|since|where)\s)|\s+\(|\)\s+"
)
"""Where something else may begin."""

_WHOLE = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas)\s+|\s+(?:and|but|while|whereas)\s+(?=(?:is|are|was|were|"
    r"has|have|had|must|may|can|will|does|do|it|they|its|their|he|she|the)\b|"
    r"[a-z]+s\s+(?:the|a|an|on|in|to|by|for|from|at|with|every|up)\b)"
)
"""Where another clause begins that could stand alone."""

_SUBORDINATE = re.compile(r"(?:because|although|though|which|who|whereas|while|so|since)\s")
"""What begins a part that is a claim even in one word."""

_FIELD = re.compile(r"(?:^|; )[^:;]{1,40}: ")
_LEAST = 2
_SMALL = re.compile(r"(?<![\w-])[a-z]\w{2,}")


def pieces_in(text: str, words: Words) -> list[str]:
    """Return a sentence in the smallest pieces that say something by themselves."""
    return list(_joined(_ANY.split(text), words))


def clauses_in(text: str, words: Words) -> list[str]:
    """Return the clauses of a sentence that another source may say; a record has only itself."""
    if len(_FIELD.findall(text)) > 1:
        return [text]
    return list(_joined(_WHOLE.split(text), words, predicated=True))


def _joined(parts: list[str], words: Words, *, predicated: bool = False) -> Iterator[str]:
    """Yield parts; what says too little is joined to what follows, or else to what came before."""
    held = ""
    told: list[str] = []
    for part in parts:
        held = f"{held}, {part}" if held else part
        least = 1 if _SUBORDINATE.match(held) else _LEAST
        if len(stems_of(held, words)) >= least and (not predicated or _is_predicated(held, words)):
            told.append(held)
            held = ""
    if held and told:
        told[-1] = f"{told[-1]}, {held}"
    yield from told or [held]


def _is_predicated(text: str, words: Words) -> bool:
    """Whether a part has words that are no names."""
    return bool(stems_of(" ".join(_SMALL.findall(text)), words))
