"""What a model calls: ours is carried out, or waits for a person; the rest is the client's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sextant.chat.actions.action import Action, ActionResult, carry_out, failed_result
from sextant.chat.actions.addresses import made_up_addresses
from sextant.chat.actions.interrupts import Answered, approval_question, read_decision
from sextant.chat.context import RunContext
from sextant.chat.reply_links.targets import host_of_address
from sextant.prompting.fence import fenced_result
from sextant.types import (
    ActionMessage,
    ActionReturned,
    Message,
    ResultMessage,
    Speaker,
    ToolCall,
)

_REFUSED = "The user did not allow this."
_DECLINED = "DECLINED"
"""The code of what a person did not allow: nothing went wrong."""


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions of this server, and how far each may go."""

    known: Mapping[str, Action]
    seconds: float
    longest: int
    hosts: Sequence[str] = ()
    """To whose addresses a model may send what it likes."""

    async def act(
        self, context: RunContext, calls: Iterable[ToolCall]
    ) -> tuple[Message, ...] | None:
        """Carry out calls and return the results for the model, or None if the run ends here.

        It ends where the client has to carry out a call, or a person has to agree to one.
        """
        theirs = {one.name for one in context.request.actions} - self.known.keys()
        results, is_over = [], False
        for call in calls:
            own = self.known.get(call.name)
            if own is None and call.name in theirs:
                is_over = True
            elif own and own.needs_approval:
                question = approval_question(call.name, call.arguments)
                context.wait_for_person(question, call)
                is_over = True
            else:
                result = await self._carry_out(context, call)
                results.append(self._message(call, result))
        return None if is_over else tuple(results)

    async def perform(self, context: RunContext, call: ToolCall) -> str:
        """Carry out one call that was told, and return what came of it as text."""
        return (await self._carry_out(context, call)).text

    @property
    def strange(self) -> frozenset[str]:
        """The names of those whose results are somebody else's words."""
        return frozenset(name for name, own in self.known.items() if own.is_strange)

    async def resume(self, context: RunContext) -> None:
        """Carry out what a person was asked about, and put the results into the thread."""
        for answered in context.answered:
            waiting = answered.pending
            if not waiting.call_id:
                continue
            decided = await self._decided(context, answered)
            if all(one.id != waiting.call_id for one in context.messages):
                call = ActionMessage(waiting.call_id, waiting.action, waiting.arguments)
                context.messages = (*context.messages, call)
            result = ResultMessage(
                f"result-{waiting.call_id}", waiting.call_id, waiting.action, decided.text
            )
            context.messages = (*context.messages, result)

    async def _decided(self, context: RunContext, answered: Answered) -> ActionResult:
        """Carry out a call that waited for a person, or say that it is not to be."""
        waiting, decision = answered.pending, read_decision(answered.response)
        arguments = decision.arguments or waiting.arguments
        call = ToolCall(waiting.call_id, waiting.action, arguments)
        if decision.is_approved:
            return await self._carry_out(context, call)
        said = f"{_REFUSED} They said: {answered.response[: self.longest]}"
        return _tell(context, call, failed_result(said, _DECLINED))

    def _message(self, call: ToolCall, result: ActionResult) -> Message:
        """Return a result as a model reads it."""
        own = self.known.get(call.name)
        is_data = own is not None and own.is_strange
        text = fenced_result(call.name, result.text) if is_data else result.text
        return Message(Speaker.TOOL, text, call_id=call.id)

    async def _carry_out(self, context: RunContext, call: ToolCall) -> ActionResult:
        own = self.known.get(call.name)
        if own is None:
            return _tell(context, call, failed_result(f"There is no action {call.name[:80]!r}."))
        made_up = made_up_addresses(call.arguments, context, self.hosts)
        if made_up and not own.stays_here:
            return _tell(context, call, failed_result(_refusal(own.name, made_up[0])))
        result = await carry_out(
            own, call.arguments, context, seconds=self.seconds, longest=self.longest
        )
        return _tell(context, call, result)


def _refusal(name: str, address: str) -> str:
    """Say why a call is not carried out; the address itself is not said, nor known from here on."""
    host = host_of_address(address) or "an unclear host"
    return (
        f"{name} is not called with an address of {host} that nobody named here. "
        "Have its host added to chat.tool_hosts, or let the user name the address."
    )


def _tell(context: RunContext, call: ToolCall, result: ActionResult) -> ActionResult:
    context.emit(ActionReturned(call.id, call.name, result.text, result.failed))
    return result
