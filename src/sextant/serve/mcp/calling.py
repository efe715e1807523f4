"""One call of a tool: from arguments to a result, in which errors are told, not raised."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from sextant.errors import InvalidInput, SextantError
from sextant.retrieval.events import Emit
from sextant.serve.caller import Role, Wanted
from sextant.serve.errors import Shown, hidden, shown
from sextant.serve.house import Visit
from sextant.serve.mcp.tool import Plain, Tool
from sextant.serve.wire.common.faults import Fault, faults_of
from sextant.types import Scope

_LOG = logging.getLogger(__name__)
_MOST_NAMED = 5

Enter = Callable[[Visit, Wanted, Role, str, str], Scope]
"""Returns for whom a verb is done, if it may be; as ``House.enter`` does."""


async def called(
    tool: Tool, arguments: Mapping[str, Any], visit: Visit, enter: Enter, emit: Emit
) -> Plain:
    """Do what a tool does, or tell why not; the result is as the protocol has it."""
    try:
        given = await _run(tool, arguments, visit, enter, emit)
    except SextantError as error:
        return _refused(tool, shown(error))
    except Exception:
        _LOG.exception("%s failed in request %s", tool.name, visit.request_id)
        return _refused(tool, hidden())
    return _result(tool.text(given), given) if tool.gives else {**given, "resultType": "complete"}


async def _run(
    tool: Tool, arguments: Mapping[str, Any], visit: Visit, enter: Enter, emit: Emit
) -> Plain:
    try:
        request: Any = tool.takes.model_validate(arguments)
    except ValidationError as error:
        faults = faults_of(error.errors(include_url=False, include_input=False), tool.takes)
        raise InvalidInput(_wrong(faults), "See the tool's input schema.") from None
    scope = enter(visit, request.wanted, tool.role, tool.name, request.subject)
    return await tool.run(scope, request, emit)


def _refused(tool: Tool, error: Shown) -> Plain:
    text = f"{error.sentence} {error.hint}".strip()
    return {**_result(text, tool.refused(error)), "isError": True}


def _result(text: str, given: Plain) -> Plain:
    """Return plain values: the SDK checks a result anyway, and a model would be checked twice."""
    content = [{"type": "text", "text": text}]
    return {"content": content, "structuredContent": given, "resultType": "complete"}


def _wrong(faults: Sequence[Fault]) -> str:
    """Say which arguments are wrong and how, without repeating them."""
    told = [": ".join(filter(None, (one.field, one.message))) for one in faults[:_MOST_NAMED]]
    more = len(faults) - len(told)
    whole = f"The arguments are wrong: {'; '.join(told)}{f'; and {more} more' if more else ''}"
    return whole if whole.endswith((".", "?")) else f"{whole}."
