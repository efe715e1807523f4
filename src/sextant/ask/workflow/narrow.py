"""How schemas fit a workflow's limits."""

from __future__ import annotations

from typing import Any

from sextant.ask.workflow.nouns import WorkflowLimits
from sextant.types import JsonObject

LISTS = {
    "queries": ("queries", "retrieval_goals"),
    "retrieved": ("chunk_texts", "chunk_sources"),
    "selected": ("selected_chunk_texts", "selected_sources", "selected_rationales"),
    "missing": ("missing_info_questions",),
    "followups": ("followup_queries", "followup_retrieval_goals"),
}
"""The lists whose length each limit bounds."""


def narrowed(schema: JsonObject, limits: WorkflowLimits) -> JsonObject:
    """Return a schema whose lists are no longer than the limits allow."""
    longest = {name: getattr(limits, limit) for limit, names in LISTS.items() for name in names}
    properties: Any = schema["properties"]
    bounded = {
        name: {**own, "maxItems": longest[name]} if name in longest else own
        for name, own in properties.items()
    }
    return {key: own for key, own in schema.items() if key != "$schema"} | {"properties": bounded}
