"""Which role a call of a tool needs: over HTTP, who lacks it is told so before an answer begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from sextant.errors import Denied, SextantError
from sextant.serve.caller import NOBODY, Wanted
from sextant.serve.errors import shown
from sextant.serve.house import Visit
from sextant.serve.mcp.calling import Enter
from sextant.serve.mcp.tool import Tool, portable
from sextant.serve.mcp.transports.message import Refusal

_CALL = "tools/call"


class Needs:
    """Knows what each tool needs."""

    def __init__(self, tools: Sequence[Tool], enter: Enter) -> None:
        self._tools = {name: tool for tool in tools for name in (tool.name, portable(tool.name))}
        self._enter = enter

    def check(self, message: Mapping[str, Any], visit: Visit) -> None:
        """Refuse a call in a role that the caller has not; it is written down."""
        params = message.get("params")
        if message.get("method") != _CALL or "id" not in message or not isinstance(params, dict):
            return
        tool = self._tools.get(str(params.get("name")))
        if tool is None or tool.role in visit.caller.roles:
            return
        wanted, subject = _asked(tool, params.get("arguments"))
        try:
            self._enter(visit, wanted, tool.role, tool.name, subject)
        except Denied as denied:
            raise Refusal(shown(denied), message, (tool.role,)) from None


def _asked(tool: Tool, arguments: object) -> tuple[Wanted, str]:
    """Return for whom a call is and what it asks, as far as that can be read."""
    try:
        request: Any = tool.takes.model_validate(arguments)
        wanted: Wanted = request.wanted
    except (ValidationError, SextantError):
        return NOBODY, ""
    return wanted, request.subject
