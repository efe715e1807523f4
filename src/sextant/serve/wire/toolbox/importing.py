"""What an import of tools changed, as plain values."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from sextant.serve.wire.common.models import Wire
from sextant.toolbox.catalogue.report import ImportReport


class ChangedToolShape(Wire):
    """A tool that is described in another way, and in which of its fields."""

    tool: str
    fields: list[str]


class FlaggedToolShape(Wire):
    """A tool of which something is suspicious."""

    tool: str
    flags: list[str]


class RefusedToolShape(Wire):
    """A tool or a relation that was not taken."""

    name: str
    reason: str


class MissingToolShape(Wire):
    """A tool that is not there, and some that are related to it."""

    tool: str
    related_from: list[str]


class RelationCountsShape(Wire):
    """How many relations are new, changed, gone or as before."""

    added: int
    changed: int
    removed: int
    unchanged: int


class ImportReply(Wire):
    """What one source brought, or would bring."""

    source: str
    added: list[str]
    changed: list[ChangedToolShape]
    removed: list[str]
    unchanged: int
    flagged: list[FlaggedToolShape]
    refused: list[RefusedToolShape]
    relations: RelationCountsShape
    missing: list[MissingToolShape] = Field(description="Related to, and counts once it comes.")
    cycles: list[list[str]] = Field(description="Required dependencies that lead back.")
    notes: list[str]


def import_of(report: ImportReport) -> dict[str, Any]:
    """Return what an import did as plain values."""
    counts = report.relations
    return {
        "source": report.source,
        "added": list(report.added),
        "changed": [{"tool": one.id, "fields": list(one.fields)} for one in report.changed],
        "removed": list(report.removed),
        "unchanged": report.unchanged,
        "flagged": [{"tool": one.id, "flags": list(one.flags)} for one in report.flagged],
        "refused": [{"name": one.name, "reason": one.reason} for one in report.refused],
        "relations": {
            "added": counts.added,
            "changed": counts.changed,
            "removed": counts.removed,
            "unchanged": counts.unchanged,
        },
        "missing": [
            {"tool": one.id, "relatedFrom": list(one.related_from)} for one in report.missing
        ],
        "cycles": [list(one) for one in report.cycles],
        "notes": list(report.notes),
    }
