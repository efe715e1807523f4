"""A run of a model with tools: it replies, or calls actions; ours are carried out and told to it.

Actions of the client end the run: it carries them out itself, and comes back with the results.
"""

from __future__ import annotations

from dataclasses import dataclass

from sextant.chat.context import RunContext
from sextant.chat.prompt import messages_for, prompt_for, tools_for
from sextant.chat.replies import relay_reply
from sextant.ports import ChatModel


@dataclass(frozen=True, slots=True)
class StandardRun:
    """Whoever answers is the model itself."""

    model: ChatModel

    async def run(self, context: RunContext) -> None:
        """Let the model reply to the messages of the client."""
        request = context.request
        messages = messages_for(context.messages, request.context)
        prompt = prompt_for(messages, tools_for(request.actions), request.wishes)
        await relay_reply(context, self.model, prompt)
