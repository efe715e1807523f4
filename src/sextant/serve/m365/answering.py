"""A message to a cited answer: ask, show what is done meanwhile, send, and remember what was sent.

Knows the core's verbs; how an answer looks in a channel is in `messages` and `stream`.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, field

from microsoft_agents.activity import Activity
from microsoft_agents.hosting.core import TurnContext

from sextant.ask.question import Question
from sextant.chat.grounded.citations import Linker
from sextant.chat.grounded.status import status_of_names, status_of_step
from sextant.core import Sextant
from sextant.errors import InvalidInput, SextantError
from sextant.limits import DEFAULT
from sextant.retrieval.events import Event, SourcesChosen, StepBegan, StepEnded, Text
from sextant.serve.m365.activities import words_of
from sextant.serve.m365.channel.messages import answer_messages
from sextant.serve.m365.channel.stream import Stream
from sextant.serve.m365.senders import TEAMS, channel_of
from sextant.types import Citation, Scope

_log = logging.getLogger(__name__)


def question_in(activity: Activity) -> Question:
    """Return what a message asks, in its conversation and language."""
    text = words_of(activity)
    if not text:
        raise InvalidInput(
            "I can only read words, and there are none in this message.",
            "Write your question as text.",
        )
    return Question(text, conversation=conversation_name(activity), locale=activity.locale or "")


def conversation_name(activity: Activity) -> str:
    """Return under which name a conversation is remembered; a long id is shortened to a digest."""
    name = f"{channel_of(activity)}:{activity.conversation.id}"
    if len(name) <= DEFAULT.id:
        return name
    return f"{channel_of(activity)}:{hashlib.sha256(name.encode()).hexdigest()}"


def message_name(activity: Activity, message_id: str) -> str:
    """Return what a message is known by: ids of messages are unique in a conversation only."""
    return f"{conversation_name(activity)}/{message_id}"


async def answer_message(
    sextant: Sextant, scope: Scope, question: Question, context: TurnContext
) -> None:
    """Answer a message in its conversation, as every other door would."""
    stream = Stream(context)
    try:
        answer = await sextant.ask(scope, question, _Teller(stream).hear)
    except BaseException:
        await stream.break_off()
        raise
    channel = channel_of(context.activity)
    ids = await stream.finish(answer_messages(answer, channel))
    names = [message_name(context.activity, one) for one in ids if one]
    if channel != TEAMS or not names:  # elsewhere there are no buttons to rate it by
        return
    try:
        await sextant.remember_sent(scope, names, answer)
    except SextantError as error:
        _log.warning("What was answered cannot be rated later: %s", error.message)


@dataclass(slots=True)
class _Teller:
    """Listens to the line, and shows whoever waits what is being done, then the text so far."""

    stream: Stream
    linker: Linker = field(default_factory=Linker)
    text: str = ""

    def hear(self, event: Event) -> None:
        """Show what concerns a person."""
        match event:
            case StepBegan(_, name) if not self.text:
                self.stream.show_status(status_of_step(name))
            case StepEnded(_, step, failed=False) if not self.text:
                self._tell_names(status_of_names(step))
            case SourcesChosen(addresses):
                self.linker.choose(dict.fromkeys(addresses, ""))
            case Citation():
                self.linker.learn({event.label: ""})
            case Text(text):
                self.text += self.linker.feed(text)
                self.stream.show_text(self.text)
            case _:
                pass

    def _tell_names(self, status: str) -> None:
        if status:
            self.stream.show_names(status)
