"""The events of one run: text, calls and state, as they happen in a kernel, as lines of JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import uuid4

from semantic_kernel.filters import AutoFunctionInvocationContext

_ACTIONS = "actions"
_END = ""


class RunEvents:
    """Hears what an agent says and which functions are called; the step is the function at work."""

    def __init__(self, agent: str, thread_id: str, state: dict[str, Any]) -> None:
        self._agent, self._thread_id, self._state = agent, thread_id, state
        self._run_id, self._text_id = str(uuid4()), ""
        self._lines: asyncio.Queue[str] = asyncio.Queue()

    async def lines_of(self, replies: AsyncIterable[Any]) -> AsyncIterator[str]:
        """Yield the lines of a run until it is over."""
        running = asyncio.create_task(self._hear(replies))
        try:
            while line := await self._lines.get():
                yield line
        finally:
            running.cancel()

    async def on_call(
        self,
        context: AutoFunctionInvocationContext,
        next: Callable[[AutoFunctionInvocationContext], Awaitable[None]],  # noqa: A002 - the kernel's
    ) -> None:
        """Tell a call that the model makes; an action of whoever asks ends the run."""
        self._end_text()
        call, is_theirs = context.function_call_content, context.function.plugin_name == _ACTIONS
        name = context.function.name if is_theirs else context.function.fully_qualified_name
        own = {"actionExecutionId": call.id}
        self._tell("ActionExecutionStart", **own, actionName=name, parentMessageId=None)
        arguments = call.arguments
        told = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        self._tell("ActionExecutionArgs", **own, args=told)
        self._tell("ActionExecutionEnd", **own)
        if is_theirs:
            context.terminate = True
            return
        self._tell_state(name)
        context.arguments["state"] = self._state  # where the function may change it
        await next(context)
        result = str(context.function_result or "")
        self._tell("ActionExecutionResult", **own, actionName=name, result=result)
        self._tell_state(name)

    async def _hear(self, replies: AsyncIterable[Any]) -> None:
        try:
            async for reply in replies:
                if text := str(reply.message):
                    self._add_text(text)
            self._end_text()
            self._tell_state("", is_running=False)
        except Exception as error:  # whatever a run raises is its end
            self._end_text()
            self._tell("RunError", message=str(error))
        self._lines.put_nowait(_END)

    def _add_text(self, text: str) -> None:
        if not self._text_id:
            self._text_id = str(uuid4())
            self._tell("TextMessageStart", messageId=self._text_id, parentMessageId=None)
        self._tell("TextMessageContent", messageId=self._text_id, content=text)

    def _end_text(self) -> None:
        if self._text_id:
            self._tell("TextMessageEnd", messageId=self._text_id)
            self._text_id = ""

    def _tell_state(self, step: str, *, is_running: bool = True) -> None:
        self._tell(
            "AgentStateMessage",
            threadId=self._thread_id,
            agentName=self._agent,
            nodeName=step,
            runId=self._run_id,
            active=is_running,
            role="assistant",
            state=json.dumps(self._state),
            running=is_running,
        )

    def _tell(self, kind: str, **fields: Any) -> None:
        self._lines.put_nowait(json.dumps({"type": kind, **fields}) + "\n")
