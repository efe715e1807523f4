"""How schemas fit a workflow's limits, and whether lists that belong together fit each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sextant.ask.workflow.nouns import WorkflowLimits
from sextant.types import JsonObject

_LISTS = {
    "queries": ("queries", "retrieval_goals"),
    "retrieved": ("chunk_texts", "chunk_sources"),
    "selected": ("selected_chunk_texts", "selected_sources", "selected_rationales"),
    "missing": ("missing_info_questions",),
    "followups": ("followup_queries", "followup_retrieval_goals"),
}
"""The lists whose length each limit bounds."""

ALIGNED = (
    ("queries", "retrieval_goals"),
    ("chunk_texts", "chunk_sources"),
    ("selected_chunk_texts", "selected_sources", "selected_rationales"),
    ("key_points", "key_point_sources"),
    ("followup_queries", "followup_retrieval_goals"),
)
"""The lists that belong together item by item, which no JSON schema can say."""


def narrowed(schema: JsonObject, limits: WorkflowLimits) -> JsonObject:
    """Return a schema whose lists are no longer than the limits allow."""
    longest = {name: getattr(limits, limit) for limit, names in _LISTS.items() for name in names}
    properties: Any = schema["properties"]
    bounded = {
        name: {**own, "maxItems": longest[name]} if name in longest else own
        for name, own in properties.items()
    }
    return {key: own for key, own in schema.items() if key != "$schema"} | {"properties": bounded}


def misaligned(value: Mapping[str, Any]) -> str:
    """Say which lists of a reply have no partner for each item, or nothing."""
    for names in ALIGNED:
        sizes = {name: len(value[name]) for name in names if name in value}
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{name} has {size}" for name, size in sizes.items())
            return f"{told}; they belong together one by one."
    return ""


def aligned(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply without what has no partner in the lists that belong together."""
    kept = dict(value)
    for names in ALIGNED:
        there = [name for name in names if name in value]
        size = min((len(value[name]) for name in there), default=0)
        kept |= {name: list(value[name])[:size] for name in there}
    return kept
