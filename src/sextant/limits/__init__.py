"""What may come in: a limit and a check for every public value. Knows no store and no format."""

from sextant.limits.asking import (
    check_asker,
    check_candidates,
    check_conversation,
    check_ids,
    check_locale,
    check_moment,
    check_names,
    check_page,
    check_phrases,
    check_position,
    check_profile,
    check_query,
    check_reach,
    check_scope,
    check_texts,
    check_turns,
    check_walk,
    check_weights,
)
from sextant.limits.changes import (
    check_changes,
    check_counters,
    check_feedback,
    check_thread,
)
from sextant.limits.values import DEFAULT, Limits
from sextant.limits.vectors import check_vector, check_vectors

__all__ = [
    "DEFAULT",
    "Limits",
    "check_asker",
    "check_candidates",
    "check_changes",
    "check_conversation",
    "check_counters",
    "check_feedback",
    "check_ids",
    "check_locale",
    "check_moment",
    "check_names",
    "check_page",
    "check_phrases",
    "check_position",
    "check_profile",
    "check_query",
    "check_reach",
    "check_scope",
    "check_texts",
    "check_thread",
    "check_turns",
    "check_vector",
    "check_vectors",
    "check_walk",
    "check_weights",
]
