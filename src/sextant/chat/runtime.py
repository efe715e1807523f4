"""Runs from a request to their end: who answers, with which thread, and what is kept of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sextant.chat.actions.action import ActionResult, carry_out
from sextant.chat.actions.interrupts import Answered, match_answers
from sextant.chat.analytics.batches import UsageEvents
from sextant.chat.answerers import Answerers
from sextant.chat.context import RunContext, new_id
from sextant.chat.events import EventLog
from sextant.chat.guard.gate import Gate
from sextant.chat.live_runs import LiveRuns, ThreadKey
from sextant.chat.one_run import OneRun
from sextant.chat.remotes.agent import remote_thread_id
from sextant.chat.reply_links.reply_links import ReplyLinks, keeps_to_known_links
from sextant.chat.run import LiveRun, Run
from sextant.chat.telemetry import HearRun
from sextant.chat.threads.keeping import KeptThread, Threads, stored_id
from sextant.errors import NotFound, PeerError
from sextant.settings import ChatSettings
from sextant.types import (
    Interrupted,
    Json,
    JsonObject,
    RunKind,
    RunRequest,
    Scope,
    ThreadState,
)

_log = logging.getLogger(__name__)
_GRACE_S = 1.0
"""How long a run that its client has left may take to end, before the next one is refused."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """Starts runs and finds them again."""

    settings: ChatSettings
    answerers: Answerers
    threads: Threads
    runs: LiveRuns
    gate: Gate
    listeners: Sequence[HearRun] = ()
    usage: UsageEvents | None = None

    async def close(self) -> None:
        """Stop every run, wait until each has let go of its model, and send what is counted."""
        await self.runs.close()
        await self.answerers.remotes.close()
        if self.usage:
            await self.usage.close()

    async def start(self, scope: Scope, request: RunRequest, *, is_detached: bool) -> Run:
        """Begin a run that was checked."""
        loaded = await self._load(scope, request)
        kept = loaded or KeptThread()
        answered = match_answers(kept.pending, request.answers)
        asked = replace(
            request,
            thread_id=request.thread_id or new_id(),
            run_id=request.run_id or new_id(),
            agent=request.agent or next((one.pending.agent for one in answered), ""),
        )
        await self.answerers.read_remotes(asked)
        name, work = self.answerers.find(asked)
        run = LiveRun(
            asked.thread_id,
            asked.run_id,
            name,
            ahead=self.settings.ahead,
            is_detached=is_detached,
        )
        key = _key(scope, asked)
        if former := self.runs.find(key):
            await former.wait(_GRACE_S)
        self.runs.add(key, run)
        try:
            if answered:
                loaded = await self._claim(scope, asked.thread_id, kept, answered)
        except BaseException:
            self.runs.forget(key)
            raise
        context = _context(scope, asked, name, kept, answered)
        waiting = loaded.pending if loaded and answered else ()
        if keeps_to_known_links(self.settings, asked.kind):
            context.screen = ReplyLinks(context, frozenset(self.settings.tool_hosts))
        carry_out = OneRun(self.threads, context, self.gate.admit, work, loaded).carry_out
        listeners = [*self.listeners, self.usage.hear] if self.usage else self.listeners
        run.begin(partial(carry_out, waiting, listeners), lambda: self.runs.end(key))
        return run

    async def _claim(
        self, scope: Scope, thread_id: str, kept: KeptThread, answered: Sequence[Answered]
    ) -> KeptThread:
        """Take what was answered, so that nobody else does it as well; return what is left.

        Who goes on without an answer leaves nothing waiting.
        """
        done = {one.pending for one in answered}
        waiting = tuple(one for one in kept.pending if one not in done)
        return await self.threads.save(scope, thread_id, replace(kept, pending=waiting))

    async def execute_action(
        self, scope: Scope, name: str, arguments: str, properties: Mapping[str, Json]
    ) -> ActionResult:
        """Carry out an action that somebody asks for by its name, without a model."""
        known, rules = self.answerers.offered_actions, self.settings
        if name not in known:
            there = ", ".join(known)
            raise NotFound(f"There is no action {name[:80]!r}.", f"There are: {there}.")
        request = RunRequest(properties=properties)
        context = RunContext(scope, request, new_id(), new_id(), "", EventLog())
        longest = self.answerers.limits.entry
        return await carry_out(
            known[name], arguments, context, seconds=rules.action_seconds, longest=longest
        )

    def find(self, scope: Scope, thread_id: str) -> LiveRun | None:
        """Return the run of a thread that is under way, or that just ended."""
        return self.runs.find(_key(scope, RunRequest(thread_id=thread_id)))

    async def load_state(self, scope: Scope, thread_id: str, agent: str) -> ThreadState:
        """Return what is kept of a thread, with the last state of an agent."""
        kept = await self.threads.load(scope, thread_id)
        remote = await self._remote_state(scope, thread_id, agent)
        state = remote or kept.states.get(agent, "{}")
        waiting = tuple(Interrupted(one.id, one.value, one.call_id) for one in kept.pending)
        exists = bool(kept.version or remote)
        here = self.find(scope, thread_id)
        open_run = "" if here and here.run_id == kept.open_run else kept.open_run
        return ThreadState(thread_id, exists, state, kept.messages, waiting, open_run)

    async def _remote_state(self, scope: Scope, thread_id: str, agent: str) -> str:
        """Return the state that an agent elsewhere has of a thread, or nothing if it has none."""
        if self.answerers.is_own(agent):
            return ""
        found = await self.answerers.find_remote(agent)
        if found is None:
            return ""
        endpoint, card = found
        call = self.answerers.remotes.call_for(endpoint, scope, {})
        try:
            own_thread = remote_thread_id(scope, thread_id)
            state = await endpoint.load_state(call, card.name, own_thread)
        except PeerError as error:
            _log.warning("What is kept here of a thread is told: %s", error)
            return ""
        return "" if state is None else json.dumps(state, ensure_ascii=False)

    async def _load(self, scope: Scope, request: RunRequest) -> KeptThread | None:
        """Return what a run needs of its thread; what the client sent need not be read."""
        is_whole = request.messages and any(one.agent == request.agent for one in request.states)
        is_alone = request.messages and not request.agent
        is_new = not request.thread_id or ((is_whole or is_alone) and not request.answers)
        if request.kind != RunKind.CHAT or is_new:
            return None
        return await self.threads.load(scope, request.thread_id)


def _context(
    scope: Scope,
    request: RunRequest,
    agent: str,
    kept: KeptThread,
    answered: Sequence[Answered],
) -> RunContext:
    """Return what an agent has to work with; what the client sent goes before what is kept."""
    sent = next((one for one in request.states if one.agent == agent), None)
    return RunContext(
        scope,
        request,
        request.thread_id,
        request.run_id,
        agent,
        EventLog(),
        request.messages or kept.messages,
        sent.state if sent else _object(kept.states.get(agent, "{}")),
        sent.config if sent else {},
        request.node,
        tuple(answered),
    )


def _key(scope: Scope, request: RunRequest) -> ThreadKey:
    """Return whose run it is. Only a chat is a part of its thread: others go on beside it."""
    own = stored_id(scope, request.thread_id)
    beside = "" if request.kind == RunKind.CHAT else f"/{request.run_id}"
    return scope.tenant, scope.user or "", own + beside


def _object(state: str) -> JsonObject:
    value: Json = json.loads(state)
    return value if isinstance(value, Mapping) else {}
