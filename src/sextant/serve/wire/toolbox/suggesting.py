"""An answer with the tools that carry out what its evidence says."""

from __future__ import annotations

from typing import Any, Protocol

from pydantic import Field

from sextant.core.toolbox import Toolbox
from sextant.serve.wire.answer import AskReply
from sextant.serve.wire.common.models import Wire
from sextant.types import Answer, Scope


class SuggestedToolShape(Wire):
    """A tool, and the statement that calls for it with its citation."""

    tool: str
    name: str
    statement: str
    label: str
    chunk_id: str
    score: float
    requires: list[str]
    linked_entities: list[str]


class ReplyWithTools(AskReply):
    """An answer in Markdown with everything that it rests on."""

    tools: list[SuggestedToolShape] = Field(
        [], description="Only where `tools` was asked for.", max_length=10
    )


class HasToolbox(Protocol):
    """What is asked for tools."""

    @property
    def toolbox(self) -> Toolbox:
        """What can be done with tools."""


async def suggested_for(sextant: HasToolbox, scope: Scope, answer: Answer) -> dict[str, Any]:
    """Return the tools that carry out what an answer cites as plain values."""
    found = await sextant.toolbox.suggest_tools(scope, answer)
    told = [
        {
            "tool": one.tool.id,
            "name": one.tool.name,
            "statement": one.statement,
            "label": one.label,
            "chunkId": one.chunk_id,
            "score": one.score,
            "requires": list(one.requires),
            "linkedEntities": list(one.linked),
        }
        for one in found
    ]
    return {"tools": told}
