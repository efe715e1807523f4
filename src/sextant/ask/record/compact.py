"""An answer with as much of its trace as a reader needs: enough to check it and to judge it.

A compact answer has a digest of its own, so that a change of it shows, and keeps the name of the
whole one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sextant.ask.record.fields import digest_of
from sextant.ask.record.load import Saved
from sextant.types import Answer, Json, Step, Trace

_FACTS = {
    "resolve": ("question",),
    "retrieve": ("empty",),
    "rank": ("weights", "origin"),
    "budget": ("left_out",),
    "model": ("fallbacks",),
}
_HITS = 12
"""As many as the trace tells of each query."""


def compacted(answer: Answer) -> Answer:
    """Return an answer whose trace has the best hits, and of other steps what went otherwise."""
    return replace(answer, trace=_compacted(answer.trace))


def compact_digest(compact: Answer, name: str) -> str:
    """Return the digest of a compact answer under the name of the whole one."""
    own = f"{name}/{digest_of(compact)}".encode()
    return hashlib.blake2b(own, digest_size=16).hexdigest()


def saved_compact(compact: Answer, name: str, digest: str) -> Saved:
    """Return a compact answer as a saved one; if it was changed, its digest is not its own."""
    is_same = digest == compact_digest(compact, name)
    return Saved(compact, digest_of(compact) if is_same else digest or "none", name)


def _compacted(trace: Trace) -> Trace:
    steps, hits = [], _best_hits(trace)
    for step in trace.steps:
        facts = {one: step.facts[one] for one in _FACTS.get(step.name, ()) if one in step.facts}
        if step.name == "rank":
            facts, hits = ({**facts, "hits": hits}, []) if hits else ({}, hits)
        if facts or step.fallback:
            steps.append(replace(step, facts=facts))
    return replace(trace, steps=tuple(steps))


def _best_hits(trace: Trace) -> Sequence[Json]:
    """Return the best hits of all queries, each passage once."""
    best: dict[str, Mapping[str, Json]] = {}
    for hit in _hits(trace.steps):
        known = best.get(str(hit["chunk"]))
        if known is None or _total(hit) > _total(known):
            best[str(hit["chunk"])] = hit
    return sorted(best.values(), key=lambda hit: (-_total(hit), str(hit["chunk"])))[:_HITS]


def _hits(steps: tuple[Step, ...]) -> Iterator[Mapping[str, Json]]:
    for step in steps:
        hits = step.facts.get("hits")
        if step.name == "rank" and isinstance(hits, list | tuple):
            yield from (hit for hit in hits if isinstance(hit, Mapping))


def _total(hit: Mapping[str, Json]) -> float:
    total = hit["total"]
    return total if isinstance(total, float) else 0.0
