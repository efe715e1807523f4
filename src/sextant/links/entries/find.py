"""Finding entries by the common tools of a KnowledgeStore: by vector, by words, by id.

Both ways of finding are asked at once, and what they find is merged. Whatever the server tells, no
entry of another tenant or persona gets through.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sextant.errors import InvalidFilter, NotFound, PeerError, PeerRefused, PeerUnreachable
from sextant.links.entries.filters import SplitFilter, split_filter
from sextant.links.entries.listed import ListedTool, find_tool
from sextant.links.entries.read import (
    Entry,
    entries_in,
    entry_id,
    entry_in,
    entry_text,
    passage_of,
    score_of,
    tenant_in,
)
from sextant.links.mcp_caller import McpCaller
from sextant.query import Query
from sextant.types import Found, Match, Passage, Scope

SERVER = "KnowledgeStore"
BY_VECTOR, BY_FILTERS = "SearchPersonaKnowledgeByVector", "SearchPersonaKnowledgeByFilters"
_BY_ID = "GetEntry"
_VECTOR = ("QueryVector", "UserQueryVector", "Vector", "Embedding", "QueryEmbedding")
_WORDS = ("Keywords", "Query", "QueryText", "UserQueryText", "SearchText", "Text")
_MOST = ("TopK", "TopKInitialRetrieve", "MaxResults", "Limit", "Count", "K")
_FILTERS = ("Filters", "Filter", "SearchFilters")
_ENTRY = ("EntryId", "PersonaKnowledgeEntryId", "Id")
_WORD = re.compile(r"[\w.-]*\w")
_SHORT = 3
"""Words of no more letters, such as who, is and the, mostly only join others."""
_AT_ONCE = 8
"""So many entries are read at once: a server of somebody else is not to be flooded."""
_HINT = "Ask whoever runs the KnowledgeStore what its tools take, or use one of Sextant."


@dataclass(slots=True)
class _Asked:
    """A call under way: which tool, and with what."""

    tool: ListedTool
    arguments: dict[str, Any] = field(default_factory=dict)

    def take(self, names: Sequence[str], value: object, *, is_needed: bool = True) -> None:
        """Pass a value under the name that the tool has for it."""
        spelt = self.tool.taken.spelling(*names)
        if spelt:
            as_list = isinstance(value, str) and self.tool.taken.is_list(spelt)
            self.arguments[spelt] = str(value).split() if as_list else value
        elif is_needed:
            raise PeerError(f"{self.tool.name} takes no {names[0]}, which it must.", _HINT)

    def filter(self, query: Query) -> SplitFilter:
        """Pass what the tool can filter by, and return what is left."""
        spelt = self.tool.taken.spelling(*_FILTERS)
        if query.filter is None:
            return SplitFilter()
        if not spelt:
            raise InvalidFilter(f"{self.tool.name} takes no filters.", "Search without a filter.")
        split = split_filter(query.filter, self.tool.inside(spelt))
        if split.fields:
            self.arguments[spelt] = split.fields
        return split


class EntryFinder:
    """Searches and reads entries as whoever the scope names."""

    def __init__(self, caller: McpCaller) -> None:
        self._caller = caller

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find entries by words and by vector, or by filters alone."""
        by_vector, by_words = await asyncio.gather(
            self._by_vector(scope, query), self._by_words(scope, query)
        )
        matches = dict(by_words)
        for name, one in by_vector.items():
            known = matches.get(name)
            matches[name] = replace(known, vector=one.vector, score=one.score) if known else one
        ordered = sorted(matches.values(), key=lambda one: (-one.score, one.passage.chunk.id))
        return Found(tuple(ordered), 0, has_exact_scores=False)

    async def passages(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Passage]:
        """Return those that exist, each read by itself."""
        tool = await self._tool(_BY_ID)
        if tool is None:
            return {}
        found = await self._read_all(tool, scope, ids)
        return {one.chunk.id: one for one in self._seen(scope, found)}

    async def _by_vector(self, scope: Scope, query: Query) -> Mapping[str, Match]:
        tool = await self._tool(BY_VECTOR)
        if query.vector is None or tool is None:
            return {}
        asked = _Asked(tool)
        asked.take(_VECTOR, query.vector.tolist())
        found = await self._found(scope, query, asked)
        return {
            name: Match(passage, score, vector=score) for name, (passage, score) in found.items()
        }

    async def _by_words(self, scope: Scope, query: Query) -> Mapping[str, Match]:
        tool = await self._tool(BY_FILTERS)
        is_listing = not query.text and query.vector is None
        if tool is None or not (query.text or is_listing):
            return {}
        asked = _Asked(tool)
        if query.text:
            asked.take(_WORDS, " ".join(keywords_in(query.text)))
        found = await self._found(scope, query, asked)
        return {
            name: Match(passage, score, keyword=None if is_listing else score)
            for name, (passage, score) in found.items()
        }

    async def _found(
        self, scope: Scope, query: Query, asked: _Asked
    ) -> dict[str, tuple[Passage, float]]:
        """Ask once for each persona, and return what fits with the best score that it got."""
        left = asked.filter(query)
        asked.take(_MOST, query.k, is_needed=False)
        best: dict[str, tuple[Passage, float]] = {}
        for persona in sorted(scope.personas) or [""]:
            rows = await self._rows(scope, persona, asked)
            scores = {entry_id(row): score_of(row, at) for at, row in enumerate(rows[: query.k])}
            whole = await self._with_texts(scope, rows[: query.k])
            for passage in self._seen(scope, whole):
                name, score = passage.chunk.id, scores[passage.chunk.id]
                if left.lets_through(passage) and score > best.get(name, (passage, -1.0))[1]:
                    best[name] = (passage, score)
        return best

    async def _rows(self, scope: Scope, persona: str, asked: _Asked) -> list[Entry]:
        one = _Asked(asked.tool, dict(asked.arguments))
        _name_asker(one, scope, persona)
        told = await self._caller.call(one.tool.name, one.tool.wrapped(one.arguments))
        return entries_in(told)

    async def _with_texts(self, scope: Scope, rows: Sequence[Entry]) -> list[Entry]:
        """Return entries with what they say; those of which only an id was told are read."""
        bare = [entry_id(row) for row in rows if not entry_text(row) and entry_id(row)]
        tool = await self._tool(_BY_ID) if bare else None
        if tool is None:
            return list(rows)
        read = {entry_id(one): one for one in await self._read_all(tool, scope, bare)}
        return [{**row, **read.get(entry_id(row), {})} for row in rows]

    async def _read_all(self, tool: ListedTool, scope: Scope, ids: Iterable[str]) -> list[Entry]:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def read(name: str) -> Entry | None:
            asked = _Asked(tool)
            asked.take(_ENTRY, name)
            _name_asker(asked, scope, min(scope.personas, default=""), is_search=False)
            async with gate:
                try:
                    told = await self._caller.call(tool.name, tool.wrapped(asked.arguments))
                except (PeerRefused, PeerUnreachable):
                    raise
                except (NotFound, PeerError):  # others have no code for what is not there
                    return None
            return entry_in(told)

        found = await asyncio.gather(*(read(name) for name in dict.fromkeys(ids)))
        return [one for one in found if one is not None]

    def _seen(self, scope: Scope, entries: Iterable[Entry]) -> Iterable[Passage]:
        """Yield the entries that the scope sees; one of another tenant is the server's fault."""
        for entry in entries:
            if (tenant_in(entry) or scope.tenant) != scope.tenant:
                raise PeerError(
                    f"{SERVER} answered with an entry of another tenant.",
                    "Whoever runs it must keep tenants apart; nothing of the answer was used.",
                )
            passage = passage_of(entry)
            if passage.chunk.id and passage.chunk.text.strip() and scope.sees(passage.document):
                yield passage

    async def _tool(self, name: str) -> ListedTool | None:
        return find_tool(await self._caller.tools(), SERVER, name)


def keywords_in(text: str) -> list[str]:
    """Return the words that a question is about: long ones, and names; all of them if none is.

    A store may look for every word that it is given, so those that only ask are left out.
    """
    words = list(dict.fromkeys(_WORD.findall(text)))
    kept = [
        word for at, word in enumerate(words) if len(word) > _SHORT or (at and not word.islower())
    ]
    return kept or words


def _name_asker(asked: _Asked, scope: Scope, persona: str, *, is_search: bool = True) -> None:
    """Say for whom it is asked: a tool that cannot be told the tenant is not asked at all.

    Nor is one that searches without a persona; what is read by its id was found by one before.
    """
    asked.take(("TenantId",), scope.tenant)
    if persona:
        asked.take(("PersonaId",), persona, is_needed=is_search)
    if scope.user:
        asked.take(("UserId",), scope.user, is_needed=False)
