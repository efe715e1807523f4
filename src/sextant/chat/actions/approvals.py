"""Which actions wait for a person: those that a pattern of the settings fits, by name or by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from sextant.chat.actions.action import Action
from sextant.toolbox.gateway.names import portable_names


def is_held(names: Iterable[str], patterns: Sequence[str]) -> bool:
    """Whether a pattern fits one of the names of an action."""
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def hold_action(own: Action, patterns: Sequence[str]) -> Action:
    """Return an action that waits for a person, too, where a pattern fits its name."""
    return replace(own, needs_approval=own.needs_approval or is_held([own.name], patterns))


def tool_names(tool_ids: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Return how a model sees each tool, by its id, and then what else a pattern may call it.

    A name that two tools would have is marked, so that a server could take a tool out of a pattern
    with another one: the name without that mark fits as well.
    """
    names = portable_names(tool_ids)
    return {own: (name, own, *portable_names([own]).values()) for own, name in names.items()}
