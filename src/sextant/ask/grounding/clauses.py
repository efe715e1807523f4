"""The clauses of a sentence, each with what it speaks of: every one has to be said by itself.

Knows English conjunctions, no source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sextant.ask.grounding.subjects import BE, DOES, NAME, is_bare, subject_of
from sextant.ask.grounding.wording import stems_of
from sextant.text.words import Words

_SUBJECT = (
    rf"(?:it|they|he|she)\b|(?:the\s+)?{NAME} (?:{BE}|[a-z]+(?:s|ed)\b)|[a-z]+ {BE}"
    rf"|(?:the|an?|its|their|each|every|this|that)\s+(?:[\w-]+\s+){{1,4}}?(?:{BE}|{DOES})"
)
_ANY = re.compile(
    r"[;:]\s+|,\s+|\s+(?=(?:and|but|or|while|whereas|which|who|because|although|though|so|if|when|"
    r"unless|until|after|before|since|where)\s)|\s+\(|\)\s+"
)
"""Where something else may begin."""

_WHOLE = re.compile(
    r";\s+|,?\s+(?:while|whereas)\s+|,\s+and\s+(?=(?:\S+\s+){3})"
    rf"|,\s+(?={NAME} (?:{BE}|[a-z]+s\b))|,?\s+(?:and|but)\s+(?={BE}|{DOES}|{_SUBJECT})"
)
"""Where another clause begins that could stand alone."""

_RELATIVE = re.compile(rf"({NAME}), (?:which|who) ([^,;]+)\Z")
"""What is said of the last name of a sentence."""

_TWO = re.compile(rf"\s*(?:[Bb]oth )?(?:[Tt]he )?({NAME}) and (?:the )?({NAME})(?= [a-z])(.*)")
_SUBORDINATE = re.compile(r"(?:because|although|though|which|who|whereas|while|so|since)\s")
"""What begins a part that is a claim even in one word."""

_FIELD = re.compile(r"(?:^|; )[^:;]{1,40}: ")
_LEAST = 2
_SMALL = re.compile(r"(?<![\w-])[a-z]\w{2,}")


def pieces_in(text: str, words: Words) -> list[str]:
    """Return a sentence in the smallest pieces that say something by themselves."""
    return list(_joined(_ANY.split(text), words))


def clauses_in(text: str, words: Words) -> list[str]:
    """Return the clauses of a sentence, each with its subject; a record has only itself."""
    if len(_FIELD.findall(text)) > 1:
        return [text]
    told: list[str] = []
    subject = ""
    for clause in _joined(_WHOLE.split(_RELATIVE.sub(r"\1; \1 \2", text)), words, predicated=True):
        if told and subject and is_bare(clause):
            told.append(f"{subject} {clause}")
        else:
            subject = subject_of(clause)
            told.append(clause)
    return told


def one_by_one(clause: str) -> list[str]:
    """Return a clause of two names as one of each."""
    found = _TWO.match(clause)
    return [f"{name}{found[3]}" for name in (found[1], found[2])] if found else [clause]


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
