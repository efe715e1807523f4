"""How tools were used, as callers tell it, and what of it was taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import uuid4

from pydantic import Field

from sextant.errors import InvalidInput
from sextant.limits import DEFAULT
from sextant.serve.wire.common.models import WHOLE, Id, Request, Wire
from sextant.serve.wire.common.pascal import Moment
from sextant.toolbox.learn.recording import RecordedUses
from sextant.types import Outcome, ToolUse, UsedTool

LARGEST_INCREMENT = 1_000
"""Of a usage in one call: what a busy gateway counts between two of them."""
Increment = Annotated[int, Field(ge=0, le=LARGEST_INCREMENT), WHOLE]


class UseShape(Request):
    """What was asked for, and the tools that were called for it, in order."""

    tools: Annotated[list[Id], Field(min_length=1, max_length=DEFAULT.calls)] = Field(
        description="In the order of the calls."
    )
    request: Annotated[str, Field(max_length=DEFAULT.query)] = ""
    times: Annotated[list[Moment], Field(max_length=DEFAULT.calls)] = Field(
        [], description="One for each."
    )
    outcome: Literal["done", "failed"] = "done"
    id: Id | None = Field(None, description="Sent again, it counts once.")

    def tool_use(self, user: str | None) -> ToolUse:
        """Return the use as the core takes it, of whoever it is recorded for."""
        if self.times and len(self.times) != len(self.tools):
            raise InvalidInput(
                f"There are {len(self.tools)} tools and {len(self.times)} times.",
                "Give one time for each tool, or none.",
            )
        moments: Sequence[Any] = self.times or [None] * len(self.tools)
        calls = tuple(map(UsedTool, self.tools, moments))
        name = self.id or uuid4().hex
        return ToolUse(name, calls, self.request, user or "", outcome=Outcome(self.outcome))


class RecordedReply(Wire):
    """What was recorded: ids in the order of the uses, and tools that are not there."""

    ids: list[str]
    recorded: int
    unknown_tools: list[str]


class UsageReply(Wire):
    """A tool, and how often it was used by now."""

    tool: str
    usage_count: int


def recorded_of(uses: Sequence[ToolUse], recorded: RecordedUses) -> dict[str, Any]:
    """Return what was recorded as plain values."""
    return {
        "ids": [use.id for use in uses],
        "recorded": recorded.new,
        "unknownTools": list(recorded.unknown),
    }
