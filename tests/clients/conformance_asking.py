"""Tools that ask back before they answer, in as many rounds as they need (2026-07-28).

Nothing of ours asks back; these show that our doors carry a question both ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    Prompt,
    PromptMessage,
    SamplingMessage,
    TextContent,
    Tool,
)

from sextant.serve.mcp.server import Ctx
from tests.clients.conformance_kinds import NO_ARGUMENTS, first, more

Round = Mapping[str, InputRequest]


def _elicit(message: str, name: str, kind: str = "string") -> ElicitRequest:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(words: str) -> CreateMessageRequest:
    asked = SamplingMessage(role="user", content=TextContent(text=words))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[asked], max_tokens=50))


_NAME, _CONFIRM = _elicit("What is your name?", "name"), _elicit("Sure?", "ok", "boolean")
_GREETING, _ROOTS = _sample("Generate a greeting"), ListRootsRequest()
_START = "test_input_required_result_"
_ROUNDS: Mapping[str, list[Round]] = {
    f"{_START}elicitation": [{"user_name": _NAME}],
    f"{_START}sampling": [{"capital_question": _sample("What is the capital of France?")}],
    f"{_START}list_roots": [{"client_roots": _ROOTS}],
    f"{_START}request_state": [{"confirm": _CONFIRM}],
    f"{_START}tampered_state": [{"confirm": _CONFIRM}],
    f"{_START}multiple_inputs": [
        {"user_name": _NAME, "greeting": _GREETING, "client_roots": _ROOTS}
    ],
    f"{_START}multi_round": [{"step1": _NAME}, {"step2": _elicit("Which colour?", "color")}],
    f"{_START}capabilities": [{"user_name": _NAME, "greeting": _GREETING}],
    "test_streaming_elicitation": [{"confirm": _CONFIRM}],
}
_PROMPT = f"{_START}prompt"


def add_asking(server: Server[Any]) -> None:
    """Let a server of ours ask back, and keep what it remembers meanwhile from being changed."""
    kept = RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=server.name)
    server.middleware.append(kept)
    tools = [_tool(name) for name in _ROUNDS]
    more(server, "tools/list", "tools", tools)
    first(server, "tools/call", _call)
    more(server, "prompts/list", "prompts", [Prompt(name=_PROMPT, description="Asks back.")])
    first(server, "prompts/get", _get)


async def _call(
    ctx: Ctx, params: CallToolRequestParams
) -> CallToolResult | InputRequiredResult | None:
    rounds = _ROUNDS.get(params.name)
    if rounds is None:
        return None
    wanted = _lacking(ctx, rounds, params)
    return wanted or CallToolResult(content=[TextContent(text="state-ok")])


async def _get(
    ctx: Ctx, params: GetPromptRequestParams
) -> GetPromptResult | InputRequiredResult | None:
    if params.name != _PROMPT:
        return None
    wanted = _lacking(ctx, [{"user_context": _elicit("Which context?", "context")}], params)
    message = PromptMessage(role="user", content=TextContent(text="With that context"))
    return wanted or GetPromptResult(messages=[message])


def _lacking(
    ctx: Ctx, rounds: list[Round], params: CallToolRequestParams | GetPromptRequestParams
) -> InputRequiredResult | None:
    """Return what is to be asked next: again what was not answered, else what comes after it."""
    at = int(params.request_state or 0)
    if rounds[at].keys() <= (params.input_responses or {}).keys():
        at += 1
    if at == len(rounds):
        return None
    able = ctx.session.client_capabilities
    asked = {name: one for name, one in rounds[at].items() if _is_able(able, one)}
    return InputRequiredResult(input_requests=asked, request_state=str(at))


def _is_able(able: ClientCapabilities | None, request: InputRequest) -> bool:
    capability = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling"}
    return getattr(able, capability.get(request.method, "roots"), None) is not None


def _tool(name: str) -> Tool:
    return Tool(name=name, description="Asks back.", input_schema=NO_ARGUMENTS)
