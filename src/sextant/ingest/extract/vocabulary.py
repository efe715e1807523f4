"""Kinds of relation and the phrases that say them. Knows what a vocabulary is, not its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from sextant.entrypoints import RELATIONS, load_plugin, registered
from sextant.errors import ConfigError


@dataclass(frozen=True, slots=True)
class RelationVocabulary:
    """Phrases by the kind of relation that they say, in lower case.

    ``forward`` phrases stand between source and target (``depends_on``: "relies on"), ``backward``
    ones the other way round ("needed by").
    """

    forward: Mapping[str, tuple[str, ...]]
    backward: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@cache
def installed_vocabularies() -> tuple[RelationVocabulary, ...]:
    """Return the vocabularies that other packages registered, by name."""
    return tuple(_vocabulary(name) for name in registered(RELATIONS))


def _vocabulary(name: str) -> RelationVocabulary:
    found = load_plugin(RELATIONS, name)
    if not isinstance(found, RelationVocabulary):
        raise ConfigError(
            f"The plugin {name} registers something else than a RelationVocabulary.",
            "Have it register one, or uninstall it.",
        )
    return found
