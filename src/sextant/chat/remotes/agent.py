"""An agent that others run, elsewhere or by a framework here, as an agent of ours.

Calls that it leaves open are carried out here, if they are of actions of this server, and it is run
again with the results; those of the client end the run.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from uuid import NAMESPACE_URL, uuid5

from sextant.chat.actions.calls import Actions
from sextant.chat.context import RunContext
from sextant.chat.remotes.relay import Relay
from sextant.chat.replying.prompt import tools_for
from sextant.chat.threads.keeping import stored_id
from sextant.errors import TooManyActions
from sextant.ports import RemoteEvent
from sextant.types import (
    ActionMessage,
    Message,
    RemoteAnswer,
    RemoteRun,
    ResultMessage,
    Scope,
    ToolCall,
)

EventBatches = AsyncGenerator[Iterable[RemoteEvent], None]
StreamRun = Callable[[RunContext, RemoteRun], EventBatches]
"""Runs an agent, and yields what it tells, in batches."""


@dataclass(frozen=True, slots=True)
class ForeignAgent:
    """One such agent; functions that it brings along itself are not offered to it as actions."""

    name: str
    description: str
    whose: str
    stream: StreamRun
    actions: Actions
    rounds: int
    own_functions: frozenset[str] = frozenset()

    async def run(self, context: RunContext) -> None:
        """Run it, and again with what its calls of our actions returned."""
        await self.actions.resume(context)
        if context.pending:
            return
        taken = {one.id for one in context.messages}
        for left in reversed(range(self.rounds + 1)):
            calls = await self._relay(context, taken)
            if not calls or context.pending:
                return
            if not left:
                raise TooManyActions(
                    f"{self.name} still calls {calls[0].name} after {self.rounds} rounds.",
                    "Ask for less at once, or raise chat.rounds.",
                )
            results = await self.actions.act(context, calls)
            if results is None:
                return
            context.answered = ()
            context.messages = (*context.messages, *_as_messages(calls, results))

    async def _relay(self, context: RunContext, taken: set[str]) -> tuple[ToolCall, ...]:
        """Run it once; return the calls that it left open."""
        run = self._run_of(context)
        relay = Relay(context, self.whose, run.thread_id, taken)
        try:
            async with aclosing(self.stream(context, run)) as batches:
                async for batch in batches:
                    for event in batch:
                        relay.add(event)
                    if context.log.is_ahead:
                        await context.log.wait_for_room()
        except BaseException:
            relay.close_open()
            raise
        relay.end()
        return relay.unanswered

    def _run_of(self, context: RunContext) -> RemoteRun:
        known, request = self.actions.known, context.request
        theirs = tools_for(one for one in request.actions if one.name not in known)
        own = [one for one in context.answered if not one.pending.call_id]
        return RemoteRun(
            self.name,
            remote_thread_id(context.scope, context.thread_id),
            tuple(context.messages),
            (*(known[name].tool for name in known if name not in self.own_functions), *theirs),
            context.state,
            context.config,
            context.node,
            tuple(
                RemoteAnswer(one.pending.value, one.response, one.pending.remote_id) for one in own
            ),
            request.context,
        )


def remote_thread_id(scope: Scope, thread_id: str) -> str:
    """Return how a thread is called elsewhere: nobody else's thread has that id.

    Endpoints know threads by their ids alone, so an id that a client chose would open another
    user's thread there.
    """
    own = stored_id(scope, thread_id)
    return str(uuid5(NAMESPACE_URL, "/".join((scope.tenant, scope.user or "", own))))


def _as_messages(
    calls: tuple[ToolCall, ...], results: tuple[Message, ...]
) -> list[ActionMessage | ResultMessage]:
    """Return calls and their results as they stand in a thread."""
    told = {one.call_id: one.text for one in results}
    made: list[ActionMessage | ResultMessage] = []
    for call in calls:
        made.append(ActionMessage(call.id, call.name, call.arguments))
        made.append(ResultMessage(f"result-{call.id}", call.id, call.name, told.get(call.id, "")))
    return made
