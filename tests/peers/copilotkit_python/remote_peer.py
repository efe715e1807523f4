"""PyPI copilotkit as a remote endpoint, in an environment of its own, until standard input ends."""

import asyncio
import json
from typing import Any

from copilotkit import Action, CopilotKitRemoteEndpoint
from copilotkit.agent import Agent
from copilotkit.integrations.fastapi import add_fastapi_endpoint
from copilotkit.protocol import (
    RuntimeMetaEventName,
    action_execution_args,
    action_execution_end,
    action_execution_start,
    agent_state_message,
    emit_runtime_event,
    meta_event,
    text_message_content,
    text_message_end,
    text_message_start,
)
from fastapi import FastAPI
from serving import serve

STATE: dict[str, Any] = {}


class Research(Agent):
    """Says what it found, calls an action of whoever asks, and asks a person."""

    def execute(self, *, thread_id: str, **_: Any) -> Any:
        def state(node: str, value: Any, running: bool) -> str:
            return emit_runtime_event(
                agent_state_message(
                    thread_id=thread_id,
                    agent_name=self.name,
                    node_name=node,
                    run_id="run-1",
                    active=running,
                    role="assistant",
                    state=json.dumps(value),
                    running=running,
                )
            )

        async def events() -> Any:
            yield state("search", {"step": 1}, True)
            yield emit_runtime_event(text_message_start(message_id="rm1", parent_message_id=None))
            for word in ("Found ", "three ", "papers."):
                yield emit_runtime_event(text_message_content(message_id="rm1", content=word))
                await asyncio.sleep(0)
            yield emit_runtime_event(text_message_end(message_id="rm1"))
            call = {"action_execution_id": "ra1"}
            yield emit_runtime_event(
                action_execution_start(**call, action_name="sayHello", parent_message_id=None)
            )
            yield emit_runtime_event(action_execution_args(**call, args='{"name":"Bob"}'))
            yield emit_runtime_event(action_execution_end(**call))
            name = RuntimeMetaEventName.LANG_GRAPH_INTERRUPT_EVENT
            yield emit_runtime_event(meta_event(name=name, value="approve?"))
            STATE[thread_id] = {"step": 2}
            yield state("__end__", STATE[thread_id], False)

        return events()

    async def get_state(self, *, thread_id: str) -> Any:
        return {
            "threadId": thread_id,
            "threadExists": thread_id in STATE,
            "state": STATE.get(thread_id, {}),
            "messages": [],
        }

    def dict_repr(self) -> Any:
        return {**super().dict_repr(), "type": "crewai"}


async def lookup(term: str) -> Any:
    return {"term": term, "hits": 3}


async def boom() -> None:
    raise ValueError("remote boom")


def _endpoint() -> CopilotKitRemoteEndpoint:
    term = {"name": "term", "type": "string", "description": "the term", "required": True}
    limit = {"name": "limit", "type": "number"}
    options = {"name": "opts", "type": "object", "attributes": [limit], "required": False}
    return CopilotKitRemoteEndpoint(
        actions=[
            Action(
                name="lookup",
                handler=lookup,
                description="Look a term up",
                parameters=[term, options],
            ),
            Action(name="boom", handler=boom, description="fails", parameters=[]),
        ],
        agents=[Research(name="research", description="Research agent")],
    )


if __name__ == "__main__":
    app = FastAPI()
    add_fastapi_endpoint(app, _endpoint(), "/copilotkit_remote")
    asyncio.run(serve(app, "/copilotkit_remote"))
