"""An agent of Semantic Kernel as a remote endpoint: CopilotKit's protocol in front of its kernel.

Its functions are actions, with their JSON schema; the actions of whoever asks are functions of its
model, which are left open and carried out there. The thread comes with every run, so none is kept.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from events import RunEvents
from history import declared_actions, history_of
from semantic_kernel import Kernel
from semantic_kernel.agents import ChatCompletionAgent, ChatHistoryAgentThread
from semantic_kernel.filters import FilterTypes
from semantic_kernel.functions import KernelArguments, KernelFunctionMetadata
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route


def endpoint(agent: ChatCompletionAgent) -> Starlette:
    """Return an app with the four methods of a remote endpoint, below /remote."""
    functions = {
        one.fully_qualified_name: one for one in agent.kernel.get_full_list_of_function_metadata()
    }

    async def info(_: Request) -> Response:
        card = {"name": agent.name, "description": agent.description or "", "type": "crewai"}
        actions = [_action(name, one) for name, one in functions.items()]
        return JSONResponse({"agents": [card], "actions": actions})

    async def execute_action(request: Request) -> Response:
        asked = await request.json()
        if asked["name"] not in functions:
            return JSONResponse({"error": f"There is no function {asked['name']}."}, 404)
        own = functions[asked["name"]]
        try:
            made = KernelArguments(**asked["arguments"])
            result = await agent.kernel.invoke(
                plugin_name=own.plugin_name, function_name=own.name, arguments=made
            )
        except Exception as error:  # whatever a function raises is told
            return JSONResponse({"error": str(error)}, 422)
        return JSONResponse({"result": str(result)})

    async def execute_agent(request: Request) -> Response:
        lines = _run(agent, await request.json(), set(functions))
        return StreamingResponse(lines, media_type="application/x-ndjson")

    async def state(request: Request) -> Response:
        thread_id = (await request.json())["threadId"]
        return JSONResponse(
            {"threadId": thread_id, "threadExists": False, "state": {}, "messages": []}
        )

    methods = {
        "/remote/info": info,
        "/remote/actions/execute": execute_action,
        "/remote/agents/execute": execute_agent,
        "/remote/agents/state": state,
    }
    return Starlette(routes=[Route(*one, methods=["POST"]) for one in methods.items()])


async def _run(
    agent: ChatCompletionAgent, asked: dict[str, Any], own: set[str]
) -> AsyncIterator[str]:
    """Yield the events of one run, as lines."""
    state: dict[str, Any] = dict(asked.get("state") or {})
    events = RunEvents(agent.name, asked["threadId"], state)
    actions = [one for one in asked.get("actions") or () if one["name"] not in own]
    kernel = Kernel(services=agent.kernel.services, plugins=dict(agent.kernel.plugins))
    kernel.add_functions("actions", declared_actions(actions))
    kernel.add_filter(FilterTypes.AUTO_FUNCTION_INVOCATION, events.on_call)
    thread = ChatHistoryAgentThread(history_of(asked["messages"], own))
    replies = agent.invoke_stream(thread=thread, kernel=kernel)
    async for line in events.lines_of(replies):
        yield line


def _action(name: str, function: KernelFunctionMetadata) -> dict[str, Any]:
    given = [one for one in function.parameters if one.include_in_function_choices]
    schema = {
        "type": "object",
        "properties": {one.name: one.schema_data for one in given},
        "required": [one.name for one in given if one.is_required],
    }
    described = function.description or ""
    return {"name": name, "description": described, "parameters": json.loads(json.dumps(schema))}
