"""What a Neo4j database holds of tools: labels, relationship types, constraints and indexes.

``(:Tool)`` is a tool, or with ``missing`` the id of one that is only spoken of, in a relation or a
use. Relationships have the types of ToolLink; ``BELONGS_TO`` leads to a ``(:Category)``.
``USED_TOGETHER`` counts the sessions of two tools: a learnt OFTEN_USED_WITH is derived of it when
it is read, because its confidence changes with every use. ``(:ToolUse)`` is a session,
``(:ToolCount)`` and ``(:PairCount)`` are what the sessions of one user in one period count, and
``(:ToolGraph)`` is the state of a tenant. Every node has its tenant.
"""

from __future__ import annotations

from sextant.types import ToolLink

FORMAT = 1
"""The format of what is described here, kept with each tenant's state."""
KINDS = "|".join(ToolLink)
"""The types of all relationships that somebody declared or imported."""
USED_TOGETHER = "USED_TOGETHER"

_UNIQUE = {
    "Tool": ("id",),
    "Category": ("name",),
    "ToolUse": ("id",),
    "ToolCount": ("tool", "user", "period"),
    "PairCount": ("source", "target", "user", "period"),
}
_INDEXES = (
    ("Tool", "id"),
    ("Tool", "category"),
    ("Tool", "usageCount"),
    *((label, "tenant") for label in _UNIQUE),
)


def _constraint(label: str, keys: tuple[str, ...]) -> str:
    columns = ", ".join(f"n.{key}" for key in ("tenant", *keys))
    name = "_".join(("sextant", label, *keys)).lower()
    return f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE ({columns}) IS UNIQUE"


def _index(label: str, key: str) -> str:
    name = f"sextant_{label}_by_{key}".lower()
    return f"CREATE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON (n.{key})"


SCHEMA = (
    _constraint("ToolGraph", ()),
    *(_constraint(label, keys) for label, keys in _UNIQUE.items()),
    _constraint("ToolUse", ("number",)),
    *(_index(label, key) for label, key in _INDEXES),
)
"""What makes a database ready; statements that change nothing where it is."""


def seen(tool: str) -> str:
    """Return the condition that a tool exists for the caller, by the variable that stands for it.

    Its parameters are personas and sees_all.
    """
    return (
        f"(coalesce({tool}.missing, false) = false AND ($sees_all "
        f"OR size(coalesce({tool}.personas, [])) = 0 "
        f"OR any(persona IN {tool}.personas WHERE persona IN $personas)))"
    )
