"""What a sentence cites in brackets, and its words without that. Knows labels, no evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sextant.ask.grounding.sources import Source
from sextant.text.markdown import readable

_CODE = re.compile(r"(`+)(?!`)[^`]{1,500}(?<!`)\1(?!`)")
_CITED = re.compile(r"[ \t]*(?<![!\\])\[([^\[\]]{1,200})\](?!\()")
_BEFORE_STOP = re.compile(r"\s+([.,;:!?])")
_EMPTY = re.compile(r"\(\s*\)|\[\s*\]")
_ENDS = " .\"'“”…*_`"


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of a sentence, the sources that it cites, and how many it cites that are none."""

    text: str
    sources: tuple[Source, ...] = ()
    unknown: int = 0


def parsed(text: str, sources: Sequence[Source]) -> Sentence:
    """Return a sentence apart from what it cites."""
    kept, cited = [], list[str]()
    at = 0
    for start, end in (*(found.span() for found in _CODE.finditer(text)), (len(text), len(text))):
        kept.append(_CITED.sub("", text[at:start]))
        cited += _CITED.findall(text[at:start])
        kept.append(text[start:end])
        at = end
    plain = readable(_EMPTY.sub("", "".join(kept)))
    found = [one for label in cited for one in _meant(label, sources)]
    known = {one.label: one for one in found if one}
    said = _BEFORE_STOP.sub(r"\1", plain).strip()
    return Sentence(said, tuple(known.values()), found.count(None))


def _meant(label: str, sources: Sequence[Source]) -> Iterator[Source | None]:
    """Yield the source that a label means, or each of those that it lists, or nothing."""
    whole = _named(label, sources)
    if whole or ";" not in label:
        yield whole
        return
    for one in label.split(";"):
        yield _named(one, sources)


def _named(label: str, sources: Sequence[Source]) -> Source | None:
    """Return the source with this label; where none has it, the only one with nearly it."""
    exact = " ".join(label.split()).casefold()
    near = _nearly(label)
    alike = [one for one in sources if _nearly(one.label) == near]
    same = (one for one in sources if one.label.casefold() == exact)
    return next(same, alike[0] if len(alike) == 1 and near else None)


def _nearly(label: str) -> str:
    """Return a label without what is easily added to it."""
    return " ".join(label.casefold().split()).removeprefix("source: ").strip(_ENDS)
