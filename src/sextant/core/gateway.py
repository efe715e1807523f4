"""The class Gateway: the tools of many servers as one, searched, called and remembered.

Knows ports, no protocol and no door. A caller's token never reaches it: each server is asked with
the credential that is set for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rapidfuzz import process

from sextant.core.toolbox import Toolbox
from sextant.core.verb import verb
from sextant.errors import (
    InvalidInput,
    NotFound,
    PeerError,
    PeerUnreachable,
    SextantError,
    TooLarge,
)
from sextant.spans import Tracer
from sextant.toolbox.catalogue.report import Emit, ImportReport, ignore_steps
from sextant.toolbox.fit.forms import write_form
from sextant.toolbox.fit.tokens import count_tokens
from sextant.toolbox.gateway.sessions import Sessions
from sextant.toolbox.gateway.upstream import Offer, Upstream
from sextant.types import OPERATOR, Detail, Scope, SelectedTool, Selection, ToolRequest, is_open_to

_LOG = logging.getLogger(__name__)
_CALLERS_FAULT = (InvalidInput, TooLarge)


@dataclass(frozen=True, slots=True)
class Gateway:
    """Servers of tools of one tenant behind one door. Open it, use it, close it."""

    toolbox: Toolbox
    tenant: str
    upstreams: Sequence[Upstream]
    _sessions: Sessions = field(init=False, repr=False, compare=False)
    _reading: set[asyncio.Task[None]] = field(
        init=False, default_factory=set, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_sessions", Sessions(self.toolbox))

    @property
    def tracer(self) -> Tracer | None:
        """Who is told of what is done here."""
        return self.toolbox.tracer

    async def read_servers(self, emit: Emit = ignore_steps) -> Sequence[ImportReport]:
        """Read what all servers list, and take it into the catalogue; say what came of each."""
        return await self._import(self.upstreams, emit)

    async def offers(self, scope: Scope) -> Mapping[str, Offer]:
        """Return every tool that a caller may see and call, by its id."""
        await self._refresh()
        return self._visible(scope)

    @verb()
    async def search(self, scope: Scope, caller: Hashable, request: ToolRequest) -> Selection:
        """Return the few tools that a caller's request needs; where that fails, all it may see."""
        await self._refresh()
        self._sessions.begin(caller, request.text)
        visible = self._visible(scope)
        away = frozenset(one.name for one in self.upstreams if one.error)
        own = frozenset(one.name for one in self.upstreams)
        narrowed = replace(request, servers=own, unavailable_servers=away)
        try:
            found = await self.toolbox.select(scope, narrowed)
        except _CALLERS_FAULT:
            raise
        except Exception:
            _LOG.exception("The search for tools failed; all of them are shown")
            return _everything(visible.values())
        # The catalogue may know more than its server offers now.
        return replace(found, tools=tuple(one for one in found.tools if one.tool.id in visible))

    @verb()
    async def call(
        self, scope: Scope, caller: Hashable, tool_id: str, arguments: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Call a tool that the caller may see, and remember that; the result is as it came."""
        visible = await self.offers(scope)
        offer = visible.get(tool_id)
        if offer is None:
            best = process.extractOne(tool_id[:200], list(visible), score_cutoff=60)
            hint = f"Did you mean {best[0]}?" if best else "Search for the tools that are there."
            raise NotFound(f"There is no tool {tool_id[:80]!r} here.", hint)
        upstream = next(one for one in self.upstreams if one.name == offer.tool.server)
        try:
            result = await upstream.call(offer, arguments)
        except PeerError as error:
            await self._note(scope, caller, tool_id, failed=True)
            raise await self._with_alternatives(scope, tool_id, error) from None
        await self._note(scope, caller, tool_id, failed=bool(result.get("isError")))
        return result

    async def close(self) -> None:
        """Let go of all servers; those that were started here are ended."""
        for task in self._reading:
            task.cancel()
        await asyncio.gather(*(one.server.close() for one in self.upstreams))

    def _visible(self, scope: Scope) -> dict[str, Offer]:
        if scope.tenant != self.tenant:
            return {}
        return {
            name: offer
            for upstream in self.upstreams
            if upstream.error is None
            for name, offer in upstream.offers.items()
            if scope.sees_all or is_open_to(scope.personas, offer.tool.personas)
        }

    async def _refresh(self) -> None:
        """Read again the servers that changed; who was not read for long is read meanwhile."""
        every = self.toolbox.settings.toolbox.refresh_seconds
        due = [one for one in self.upstreams if one.is_due(every)]
        if due and not self._reading:
            task = asyncio.create_task(self._read_again(due))
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)
        changed = [one for one in self.upstreams if one.is_changed and one not in due]
        if changed:
            await self._read_again(changed)

    async def _read_again(self, upstreams: Sequence[Upstream]) -> None:
        for report in await self._import(upstreams):
            if report.error:
                _LOG.warning("%s cannot be read: %s", report.source, report.error.message)

    async def _import(
        self, upstreams: Sequence[Upstream], emit: Emit = ignore_steps
    ) -> Sequence[ImportReport]:
        scope = Scope(self.tenant, roles=frozenset({OPERATOR}))
        return await self.toolbox.import_tools(scope, upstreams, emit=emit)

    async def _note(self, scope: Scope, caller: Hashable, tool_id: str, *, failed: bool) -> None:
        """Remember a call; that it cannot be remembered is no reason to lose its result."""
        try:
            await self._sessions.note_call(scope, caller, tool_id, failed=failed)
        except SextantError as error:
            _LOG.warning("The use of %s was not recorded: %s", tool_id, error.message)

    async def _with_alternatives(
        self, scope: Scope, tool_id: str, error: PeerError
    ) -> SextantError:
        """Return an error that also says what can stand in for a tool whose server is away."""
        if not isinstance(error, PeerUnreachable):
            return error
        found = await self.toolbox.find_alternatives(scope, tool_id, None, 3)
        visible = self._visible(scope)
        names = [one.tool.id for one in found if one.tool.id in visible]
        hint = f"Try {' or '.join(names)} instead." if names else error.hint
        return PeerUnreachable(error.message, hint, error.retry_after)


def _everything(offers: Iterable[Offer]) -> Selection:
    """Return all tools, a line each, with the reason why they are so many."""
    tools = []
    for rank, offer in enumerate(offers, 1):
        text = write_form(offer.tool, Detail.SIGNATURE)
        tools.append(
            SelectedTool(offer.tool, 0.0, rank, Detail.SIGNATURE, text, count_tokens(text))
        )
    tokens = sum(one.tokens for one in tools)
    return Selection(tuple(tools), (), (_SEARCH_FAILED,), (), tokens)


_SEARCH_FAILED = "The search failed: these are all tools that you may call."
