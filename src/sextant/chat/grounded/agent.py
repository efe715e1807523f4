"""The agent `default`: it answers from the knowledge, and carries out actions that are asked for.

Whether to act is decided on what the user wrote alone. No text of a document, and no answer made of
such, is in that prompt, so none of them can become a call.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from sextant.ask.conversations.turns import shortened
from sextant.ask.question import Question
from sextant.chat.context import RunContext
from sextant.chat.grounded.images import has_images, in_words, without_images
from sextant.chat.grounded.telling import Teller
from sextant.chat.replying.replies import relay_reply
from sextant.chat.replying.standard import StandardRun
from sextant.chat.threads.history import turns_in, user_text
from sextant.errors import InvalidInput, ModelError
from sextant.ports import ChatModel
from sextant.retrieval.events import Emit, StepBegan
from sextant.types import (
    NO_TOOL,
    Answer,
    ChatMessage,
    Message,
    Prompt,
    ResultMessage,
    Role,
    Scope,
    Speaker,
    StateMessage,
    TextMessage,
    Turn,
)

_log = logging.getLogger(__name__)
Ask = Callable[[Scope, Question, Emit], Awaitable[Answer]]
"""The line: answers a question, and tells whoever listens."""

_CHOOSING = (
    "You decide whether the user's last message asks for one of the tools to be used. If it does, "
    "call it. If it does not, or if it is a question about facts, reply with the word none."
)
_REPORTING = (
    "Say in a sentence or two what came of the tools that were called, or call the next one that "
    "the user asked for. Do not answer questions about facts."
)


@dataclass(frozen=True, slots=True)
class GroundedAgent:
    """The line as an agent; with a model, it also uses the actions of the client and the server."""

    ask: Ask
    standard: StandardRun | None = None

    async def run(self, context: RunContext) -> None:
        """Carry out what the user asks for, or answer from the knowledge."""
        if self.standard is None or not await _act(context, self.standard):
            await self._answer(context)

    async def _answer(self, context: RunContext) -> None:
        """Answer a question, and tell every step, the text and its sources."""
        teller = Teller(context)
        try:
            messages = await self._in_words(context, teller)
            if not messages:
                teller.break_off()
                return
            answer = await self.ask(context.scope, question_in(messages), teller.hear)
        except BaseException:
            teller.break_off()
            raise
        teller.end(answer)

    async def _in_words(self, context: RunContext, teller: Teller) -> Sequence[ChatMessage]:
        """Return the messages, what the user showed put into words; none if that cannot be done."""
        if not has_images(context.messages):
            return context.messages
        if self.standard is None:
            return without_images(context)
        teller.hear(StepBegan(0, "look"))
        return await in_words(context, self.standard.model)


def question_in(messages: Sequence[ChatMessage]) -> Question:
    """Return the last thing that the user wrote, with what was said before it."""
    text = user_text(messages)
    if not text:
        raise InvalidInput("There is no message of a user to answer.", "Send one.")
    said = turns_in(messages)
    last = max(place for place, turn in enumerate(said) if turn == Turn(Role.USER, text))
    return Question(text, history=shortened(said[:last]))


async def _act(context: RunContext, standard: StandardRun) -> bool:
    """Carry out what the user asks for; return whether that was anything."""
    await standard.actions.resume(context)
    if context.pending:
        return True
    prompt = standard.prompt(context, _trusted(context.messages))
    if not prompt.tools or prompt.tool_choice == NO_TOOL:
        return bool(context.answered)
    last = context.messages[-1] if context.messages else None
    if context.answered or isinstance(last, ResultMessage):
        await standard.converse(context, _told(_REPORTING, prompt))
        return True
    reply = await _choose(context, standard.model, _told(_CHOOSING, prompt))
    if reply.calls:
        await standard.converse(context, _told(_REPORTING, prompt), replace(reply, text=""))
    return bool(reply.calls)


async def _choose(context: RunContext, model: ChatModel, prompt: Prompt) -> Message:
    """Let the model choose an action; where it fails before it did, none is chosen."""
    told = len(context.log.events)
    try:
        return await relay_reply(context, model, prompt, tells_text=False)
    except ModelError as error:
        if len(context.log.events) > told:
            raise
        _log.warning("No action was chosen: %s", error)
        return Message(Speaker.ASSISTANT)


def _trusted(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return what the user and the page said; what an assistant wrote may quote documents."""
    return [
        one
        for one in messages
        if not isinstance(one, StateMessage)
        and not (isinstance(one, TextMessage) and one.speaker == Speaker.ASSISTANT)
    ]


def _told(instruction: str, prompt: Prompt) -> Prompt:
    return replace(prompt, messages=(Message(Speaker.SYSTEM, instruction), *prompt.messages))
