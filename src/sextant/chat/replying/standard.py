"""A run of a model with tools: it replies, or calls actions; ours are carried out and told to it.

Actions of the client end the run: it carries them out itself, and comes back with the results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sextant.chat.actions.action import Action
from sextant.chat.actions.calls import Actions
from sextant.chat.actions.server_tools import instruction_for
from sextant.chat.context import RunContext
from sextant.chat.replying.prompt import messages_for, prompt_for, tools_for
from sextant.chat.replying.replies import relay_reply
from sextant.errors import TooManyActions
from sextant.ports import ChatModel
from sextant.types import (
    NO_TOOL,
    ChatMessage,
    Message,
    Prompt,
    Speaker,
    ToolCall,
)


@dataclass(frozen=True, slots=True)
class StandardRun:
    """Whoever answers is the model itself."""

    model: ChatModel
    actions: Actions
    rounds: int
    instruction: str = ""
    """What the model is told before all messages, if anything."""

    async def run(self, context: RunContext) -> None:
        """Let the model reply to the messages of the client."""
        await self.actions.resume(context)
        if not context.pending:
            await self.converse(context, self.prompt(context))

    def prompt(self, context: RunContext, messages: Sequence[ChatMessage] | None = None) -> Prompt:
        """Return what the model is asked first, of all messages or of some."""
        request, known = context.request, self.actions.known
        theirs = [one for one in request.actions if one.name not in known]
        tools = (*(own.tool for own in known.values()), *tools_for(theirs))
        seen = context.messages if messages is None else messages
        told = (Message(Speaker.SYSTEM, self.instruction),) if self.instruction else ()
        spoken = messages_for(seen, request.context, self.actions.strange)
        return prompt_for((*told, *spoken), tools, request.wishes)

    def with_tools(self, tools: Mapping[str, Action]) -> StandardRun:
        """Return a run that may call these tools of other servers, too; our own go before them."""
        known = {**tools, **self.actions.known}
        actions = replace(self.actions, known=known)
        return replace(self, actions=actions, instruction=instruction_for(known))

    async def converse(
        self, context: RunContext, prompt: Prompt, reply: Message | None = None
    ) -> None:
        """Let the model reply and act, round by round; the first reply may be there already."""
        for left in reversed(range(self.rounds + 1)):
            if reply is None:
                reply = await relay_reply(context, self.model, prompt)
            if not reply.calls:
                return
            self._check_bound(left, reply.calls)
            results = await self.actions.act(context, reply.calls)
            if results is None:
                return
            # What had to be called has been called: from here on the model chooses.
            follow = replace(
                prompt, messages=(*prompt.messages, reply, *results), tool_choice="auto"
            )
            prompt = follow if left > 1 else replace(follow, tool_choice=NO_TOOL)
            reply = None

    def _check_bound(self, left: int, calls: tuple[ToolCall, ...]) -> None:
        ours = [call.name for call in calls if call.name in self.actions.known]
        if ours and not left:
            raise TooManyActions(
                f"The model still calls {ours[0]} after {self.rounds} rounds of actions.",
                "Ask for less at once, or raise chat.rounds.",
            )
