"""What a model found in a document, in the form in which it is kept with it. Knows no model.

It is kept in the document's own fields, so that all that linking needs is in the stored unit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sextant.ingest.extract.claims import FoundName
from sextant.limits import Limits
from sextant.text.names import name_key
from sextant.types import OWN, Chunk, Document

READ_BY, FINDINGS = f"{OWN}read_by", f"{OWN}findings"
"""The fields of a document that say which model read it, and what it found."""

_MOST_NAMES, _MOST_TOLD = 300, 5_000


class FoundRelation(NamedTuple):
    """A relation between two names, of a known kind."""

    source: str
    kind: str
    target: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What a model found in one text."""

    named: tuple[FoundName, ...] = ()
    told: tuple[FoundRelation, ...] = ()


NOTHING = Findings()
Heard = Mapping[str, Sequence[FoundRelation]]
"""What is told, by the chunk that tells it."""


def as_json(findings: Findings) -> str:
    """Return findings as they are kept."""
    return json.dumps([findings.named, findings.told], separators=(",", ":"), ensure_ascii=False)


def from_json(text: str) -> Findings:
    """Return findings that were kept."""
    named, told = json.loads(text)
    return Findings(tuple(map(_parse_name, named)), tuple(FoundRelation(*one) for one in told))


def with_findings(
    document: Document, chunks: Sequence[Chunk], found: Mapping[str, Findings], limits: Limits
) -> Document:
    """Return the document with what was found in its chunks, in place of what was there."""
    metadata = {key: one for key, one in document.metadata.items() if not key.startswith(FINDINGS)}
    text = _joined(chunks, found)
    size = limits.metadata
    for number, start in enumerate(range(0, len(text), size)):
        metadata[f"{FINDINGS}.{number:03}"] = text[start : start + size]
    if len(metadata) > limits.values:
        return document
    return replace(document, metadata=metadata)


def findings_in(document: Document, chunks: Sequence[Chunk]) -> tuple[Sequence[FoundName], Heard]:
    """Return what is kept of a model's findings: the names, and what is told by chunk."""
    fields = sorted(key for key in document.metadata if key.startswith(FINDINGS))
    if not fields:
        return (), {}
    named, told = json.loads("".join(document.metadata[key] for key in fields))
    heard: dict[str, list[FoundRelation]] = {}
    for at, source, kind, target in told:
        if at < len(chunks):
            heard.setdefault(chunks[at].id, []).append(
                FoundRelation(named[source][0], kind, named[target][0])
            )
    return [_parse_name(one) for one in named], heard


def _parse_name(one: Sequence[Any]) -> FoundName:
    name, kind, aliases = one
    return FoundName(name, kind, tuple(aliases))


def _joined(chunks: Sequence[Chunk], found: Mapping[str, Findings]) -> str:
    """Return the findings of all chunks as one text with each name once, or no text."""
    own = [found.get(chunk.id, NOTHING) for chunk in chunks]
    names = _once(one for findings in own for one in findings.named)[:_MOST_NAMES]
    if not names:
        return ""
    number = {name_key(name): at for at, one in enumerate(names) for name in one.aliases}
    number |= {name_key(one.name): at for at, one in enumerate(names)}
    told = [
        (at, number[source], one.kind, number[target])
        for at, findings in enumerate(own)
        for one in findings.told
        if (source := name_key(one.source)) in number and (target := name_key(one.target)) in number
    ]
    return json.dumps([names, told[:_MOST_TOLD]], separators=(",", ":"), ensure_ascii=False)


def _once(named: Iterable[FoundName]) -> list[FoundName]:
    """Return each name once, the most frequent first, with all that was found of it."""
    counts: Counter[str] = Counter()
    best: dict[str, FoundName] = {}
    for one in named:
        key = name_key(one.name)
        counts[key] += 1
        before = best.get(key, one)
        aliases = dict.fromkeys((*before.aliases, *one.aliases))
        best[key] = FoundName(before.name, before.type or one.type, tuple(aliases))
    return [best[key] for key in sorted(best, key=lambda key: (-counts[key], key))]
