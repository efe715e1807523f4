"""The class Gateway: the tools of many servers as one, searched, called and remembered.

Knows ports, no protocol and no door. A caller's token never reaches it: each server is asked with
the credential that is set for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sextant.core.toolbox import Toolbox, suggest_id
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
from sextant.text.codec.json_bytes import written
from sextant.toolbox.catalogue.report import ImportReport
from sextant.toolbox.fit.forms import write_form
from sextant.toolbox.fit.tokens import count_tokens
from sextant.toolbox.gateway.sessions import Sessions
from sextant.toolbox.gateway.upstream import RETRY_S, Offer, Upstream
from sextant.types import OPERATOR, Detail, Scope, SelectedTool, Selection, ToolRequest, is_open_to

_LOG = logging.getLogger(__name__)
_CALLERS_FAULT = (InvalidInput, TooLarge)
_PATIENCE_S = 10.0
"""So long the first who ask wait for servers that are starting; clients give up after 30 s."""

Hear = Callable[[ImportReport], None]
"""Is told what came of a server's list."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """Servers of tools of one tenant behind one door. Open it, use it, close it."""

    toolbox: Toolbox
    tenant: str
    upstreams: Sequence[Upstream]
    _sessions: Sessions = field(init=False, repr=False, compare=False)
    _reading: dict[str, asyncio.Task[None]] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )
    _writing: asyncio.Lock = field(
        init=False, default_factory=asyncio.Lock, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_sessions", Sessions(self.toolbox))

    @property
    def tracer(self) -> Tracer | None:
        """Who is told of what is done here."""
        return self.toolbox.tracer

    def begin_reading(self, hear: Hear) -> None:
        """Begin to read what each server lists; say of each what came of it, as it comes."""
        for one in self.upstreams:
            self._keep(one, asyncio.create_task(self._read(one, hear)))

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
            self._check_reachable(scope, tool_id)
            hint = suggest_id(tool_id, list(visible), "Search for the tools that are there.")
            raise NotFound(f"There is no tool {tool_id[:80]!r} here.", hint)
        upstream = next(one for one in self.upstreams if one.name == offer.tool.server)
        try:
            result = await upstream.call(offer, arguments)
        except PeerError as error:
            await self._note(scope, caller, tool_id, failed=True)
            raise await self._with_alternatives(scope, tool_id, error) from None
        await self._note(scope, caller, tool_id, failed=bool(result.get("isError")))
        self._check_size(tool_id, result)
        return result

    def _check_size(self, tool_id: str, result: Mapping[str, Any]) -> None:
        """Refuse to pass on more than a client should be made to read."""
        most, size = self.toolbox.settings.toolbox.result_megabytes, len(written(result)) / 1e6
        if size > most:
            raise TooLarge(
                f"{tool_id} did its work, but the result has {size:.1f} MB, over {most:g}.",
                "Ask it for less, or raise toolbox.result_megabytes.",
            )

    def _check_reachable(self, scope: Scope, tool_id: str) -> None:
        """Refuse a tool whose server cannot be asked now, and say so to who may know of it."""
        for upstream in self.upstreams:
            offer = upstream.offers.get(tool_id)
            if upstream.error and offer and self._sees(scope, offer):
                raise PeerUnreachable(
                    f"{upstream.name} cannot be asked now: {upstream.error.message}",
                    "Try again in half a minute.",
                    RETRY_S,
                )

    async def close(self) -> None:
        """Let go of all servers; those that were started here are ended."""
        for task in list(self._reading.values()):
            task.cancel()
        await asyncio.gather(*(one.server.close() for one in self.upstreams))

    def _visible(self, scope: Scope) -> dict[str, Offer]:
        return {
            name: offer
            for upstream in self.upstreams
            if upstream.error is None
            for name, offer in upstream.offers.items()
            if self._sees(scope, offer)
        }

    def _sees(self, scope: Scope, offer: Offer) -> bool:
        is_open = scope.sees_all or is_open_to(scope.personas, offer.tool.personas)
        return scope.tenant == self.tenant and is_open

    async def _refresh(self) -> None:
        """Read again the servers that changed, and those that were not read for long.

        What was read before serves meanwhile; who was never read is waited for, for a while.
        """
        every = self.toolbox.settings.toolbox.refresh_seconds
        for one in self.upstreams:
            if one.name not in self._reading and (one.is_changed or one.is_due(every)):
                self._keep(one, asyncio.create_task(self._read(one, _log_failure)))
        awaited = [
            self._reading[one.name]
            for one in self.upstreams
            if one.name in self._reading and (one.is_changed or not one.was_read)
        ]
        if awaited:
            await asyncio.wait(awaited, timeout=_PATIENCE_S)

    def _keep(self, upstream: Upstream, task: asyncio.Task[None]) -> None:
        self._reading[upstream.name] = task
        task.add_done_callback(lambda _: self._reading.pop(upstream.name, None))

    async def _read(self, upstream: Upstream, hear: Hear) -> None:
        """Read what a server lists and take it in; one after the other writes."""
        scope = Scope(self.tenant, roles=frozenset({OPERATOR}))
        try:
            listed = await upstream.list_tools()
            async with self._writing:
                (report,) = await self.toolbox.import_tools(scope, [listed])
        except SextantError as error:
            report = ImportReport(upstream.name, error=error)
        hear(report)

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


def _log_failure(report: ImportReport) -> None:
    if report.error:
        _LOG.warning("%s cannot be read: %s", report.source, report.error.message)


_SEARCH_FAILED = "The search failed: these are all tools that you may call."
