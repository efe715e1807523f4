"""What each kind of activity does: a question, a welcome, feedback, a conversation that ends.

Whatever fails is told to the person in a sentence, and to the operator as a typed error.
"""

from __future__ import annotations

import asyncio
import logging
from http import HTTPStatus

from microsoft_agents.activity import Activity, ActivityTypes, InvokeResponse
from microsoft_agents.hosting.core import TurnContext

from sextant.errors import Forbidden, NotFound, Overloaded, PeerError, SextantError
from sextant.serve.caller import Role, Wanted
from sextant.serve.errors import hidden, in_one_text, shown
from sextant.serve.house import House, Note, Visit
from sextant.serve.m365.answering import (
    answer_message,
    conversation_name,
    message_name,
    question_in,
)
from sextant.serve.m365.channel.delivery import deliver
from sextant.serve.m365.channel.messages import notice
from sextant.serve.m365.feedback import is_feedback, opinion_in
from sextant.serve.m365.senders import TEAMS, Senders, channel_of, directory_named
from sextant.serve.m365.tokens import Proof
from sextant.types import Scope

_WELCOME = (
    "Hello, I am {name}. Ask me a question in your own words, such as who owns something, what "
    "depends on it, or what to do when it fails. I answer from your organisation's documents, "
    "and every answer links the sources it rests on."
)
_END_S = 1.0
"""Kept of a request's time, so that a person can still be told that it took too long."""
_log = logging.getLogger(__name__)


class Turns:
    """Answers activities for the people of a house."""

    def __init__(self, house: House) -> None:
        self._house, self._m365 = house, house.settings.m365
        self._senders = Senders(house.settings)
        self._seconds = max(_END_S, house.settings.serve.request_seconds - _END_S)

    async def play(self, context: TurnContext, visit: Visit, proof: Proof) -> None:
        """Do what an activity asks for; an error is told in its conversation."""
        try:
            async with asyncio.timeout(self._seconds):
                await self._play(context, visit, proof)
        except TimeoutError:
            late = Overloaded("That took too long, so I stopped.", "Ask again, or ask for less.")
            await self._tell(context, visit, late)
        except PeerError as error:
            _log.warning("A turn was not told to its channel: %s", error)
        except SextantError as error:
            await self._tell(context, visit, error)
        except Exception:
            _log.exception("A turn failed.")
            await self._tell(context, visit, None)

    async def _play(self, context: TurnContext, visit: Visit, proof: Proof) -> None:
        activity = context.activity
        match activity.type:
            case ActivityTypes.message:
                question = question_in(activity)
                scope = self._enter(activity, visit, proof, "ask", question.text)
                await answer_message(self._house.sextant, scope, question, context)
            case ActivityTypes.conversation_update if _is_welcomed(activity):
                self._senders.wanted(activity, proof)
                text = _WELCOME.format(name=self._m365.name)
                await deliver(context, notice(text, self._m365.examples))
            case ActivityTypes.installation_update if activity.action == "remove":
                verb, name = "forget conversation", conversation_name(activity)
                scope = self._enter(activity, visit, proof, verb, name)
                await self._house.sextant.forget_conversation(scope, name)
            case ActivityTypes.invoke if is_feedback(activity):
                await self._note_feedback(context, visit, proof)
            case ActivityTypes.invoke:
                raise NotFound(
                    "This assistant has nothing of that name.", "Ask it a question instead."
                )
            case _:
                pass

    async def _note_feedback(self, context: TurnContext, visit: Visit, proof: Proof) -> None:
        message_id, verdict, comment = opinion_in(context.activity)
        name = message_name(context.activity, message_id)
        verb = f"feedback {verdict}"
        scope = self._enter(context.activity, visit, proof, verb, message_id)
        await self._house.sextant.feedback_on_sent(scope, name, verdict, comment)
        await context.send_activity(invoke_reply(HTTPStatus.OK))

    def _enter(
        self, activity: Activity, visit: Visit, proof: Proof, verb: str, subject: str
    ) -> Scope:
        """Return for whom a verb is done; who is refused is written down, too."""
        try:
            wanted = self._senders.wanted(activity, proof)
        except Forbidden as denied:
            home = Scope(visit.caller.tenant)
            named = Wanted(directory_named(activity))
            self._house.audit.note(Note(visit, home, verb, "", denied.message, named))
            raise
        return self._house.enter(visit, wanted, Role.SEARCH, verb, subject)

    async def _tell(self, context: TurnContext, visit: Visit, error: SextantError | None) -> None:
        """Tell what failed, unless the channel does not take that either."""
        told = shown(error) if error else hidden()
        text = in_one_text(told.sentence, told.hint, visit.request_id)
        try:
            if context.activity.type == ActivityTypes.invoke:
                await context.send_activity(invoke_reply(told.status, told.code, text))
            elif context.activity.type == ActivityTypes.message:
                await deliver(context, notice(text))
        except PeerError as failed:
            _log.warning("An error was not told to its channel: %s", failed)


def invoke_reply(status: int, code: str = "", text: str = "") -> Activity:
    """Return what an invoke is answered with."""
    body = {"error": {"code": code, "message": text}} if code else {}
    return Activity(
        type=ActivityTypes.invoke_response,
        value=InvokeResponse(status=int(status), body=body).model_dump(),
    )


def _is_welcomed(activity: Activity) -> bool:
    """Whether somebody is new: in Teams the bot is told once, elsewhere each person."""
    own = activity.recipient.id if activity.recipient else None
    added = [one.id for one in activity.members_added or ()]
    if channel_of(activity) == TEAMS:
        return own in added
    return any(one != own for one in added)
