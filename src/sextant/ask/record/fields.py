"""What was found and answered as plain JSON values, and the digest that names an answer.

How long steps took stands under ``timing`` alone: all else is the same bytes for the same question.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sextant.text.codec.encode import opened, plain_of
from sextant.text.codec.json_bytes import canonical
from sextant.types import Answer, Hit, Ranked, Trace, is_own

FORMAT = 1
"""Of a saved answer, and of what a search prints; a higher one is not read."""


def record_fields(value: Answer | Ranked | Hit | Trace) -> dict[str, Any]:
    """Return a value as JSON knows values, under the names that its fields have."""
    match value:
        case Answer():
            content = {"format": FORMAT, **plain_of(value)}
            told = {"state": value.state.value, "digest": digest_of(value)}
            return {**content, **told, "timing": timing(value.trace)}
        case Ranked(hits, trace):
            found = [_hit(hit) for hit in hits]
            return {
                "format": FORMAT,
                "hits": found,
                "trace": plain_of(trace),
                "timing": timing(trace),
            }
        case Hit():
            return _hit(value)
        case Trace():
            return {**plain_of(value), "timing": timing(value)}


def digest_of(answer: Answer) -> str:
    """Return the name of an answer: whatever is said of it, is said of exactly these bytes."""
    trace = answer.trace
    content = {
        "format": FORMAT,
        **opened(answer),
        "statements": [opened(one) for one in answer.statements],
        "trace": {**opened(trace), "steps": [(s.name, s.facts, s.fallback) for s in trace.steps]},
    }
    return hashlib.blake2b(canonical(content), digest_size=16).hexdigest()


def saved(answer: Answer) -> str:
    """Return the text of a file that holds an answer."""
    return json.dumps(record_fields(answer), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def timing(trace: Trace) -> list[dict[str, Any]]:
    """Return how long each step took, in order."""
    return [{"step": step.name, "milliseconds": step.milliseconds} for step in trace.steps]


def _hit(hit: Hit) -> dict[str, Any]:
    told: dict[str, Any] = plain_of(hit)
    passage = told.pop("passage")
    metadata = passage["document"]["metadata"]
    kept = {name: value for name, value in metadata.items() if not is_own(name)}
    return {**passage, "document": {**passage["document"], "metadata": kept}, **told}
