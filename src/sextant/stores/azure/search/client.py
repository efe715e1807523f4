"""Calls to one index in AI Search: rows found, written and dropped, each call tried again so often.

Knows the service's client and nothing of what the rows mean.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.search.documents.aio import SearchClient
from azure.search.documents.indexes.aio import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex
from azure.search.documents.models import IndexDocumentsBatch

from sextant.errors import StoreClosed
from sextant.settings import AzureSettings
from sextant.stores.azure.connection import check_endpoint, new_credential, with_retries
from sextant.stores.azure.search.definition import KEY
from sextant.stores.azure.search.refusals import bad_request, rows_refused
from sextant.version import __version__

_WHAT = "AI Search"
_MOST_ROWS = 1_000
"""Rows of one batch that the service takes."""
_LARGEST = 900_000
"""Bytes of one batch: the service takes 16 MB, but the HTTP client is stopped by more than one."""
_ESCAPED = 6
"""Bytes of a letter beyond ASCII at most, as JSON writes it."""
_DIGITS = 22
"""Characters that a number of a vector takes at most, with its comma."""
_PASSING = frozenset({409, 422, 429, 503})
"""Statuses of a row after which the service asks for another try."""
_BAD_REQUEST = 400

T = TypeVar("T")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows that were found, how many there are in all if that was asked, and counts of values."""

    rows: list[Row]
    count: int = 0
    facets: dict[str, dict[str, int]] = field(default_factory=dict)


class SearchConnection:
    """Clients of one index, which connect when they are first used."""

    def __init__(
        self,
        rows: SearchClient,
        indexes: SearchIndexClient,
        credential: AsyncTokenCredential,
        settings: AzureSettings,
    ) -> None:
        self.settings = settings
        self._rows, self._indexes, self._credential = rows, indexes, credential
        self._is_closed = False
        self._turns = asyncio.Semaphore(settings.concurrency)

    async def find(self, text: str | None = None, **asked: Any) -> Answer:
        """Search; more rows than the service gives at once are more calls."""

        async def search() -> Answer:
            pages = await self._rows.search(text, **asked)
            found = [row async for row in pages]
            has_count = asked.get("include_total_count")
            facets = await pages.get_facets() if asked.get("facets") else None
            return Answer(found, await pages.get_count() if has_count else 0, _counts(facets or {}))

        return await self._call(search)

    async def look_up(self, key: str) -> Row | None:
        """Return a row by its key, if it is there and can be found yet."""

        async def look() -> Row | None:
            try:
                return dict(await self._rows.get_document(key))
            except ResourceNotFoundError:
                return None

        return await self._call(look)

    async def write(self, rows: Sequence[Row]) -> None:
        """Write rows, each whole in the place of one of the same key."""
        add = IndexDocumentsBatch.add_upload_actions
        await asyncio.gather(*(self._index(batch, add) for batch in _batches(rows)))

    async def drop(self, keys: Sequence[str]) -> None:
        """Drop rows by their keys; those that are not there are gone already."""
        for start in range(0, len(keys), _MOST_ROWS):
            rows = [{KEY: key} for key in keys[start : start + _MOST_ROWS]]
            await self._index(rows, IndexDocumentsBatch.add_delete_actions)

    async def definition(self) -> SearchIndex:
        """Return the definition of the index as it is there."""
        name = self.settings.search_index
        return await self._call(lambda: self._indexes.get_index(name))

    async def define(self, definition: SearchIndex) -> None:
        """Make the index, or add fields to one that is there."""
        await self._call(lambda: self._indexes.create_or_update_index(definition))

    async def close(self) -> None:
        """Let go of the clients, and of what signs them in."""
        self._is_closed = True
        await self._rows.close()
        await self._indexes.close()
        await self._credential.close()

    async def _index(self, rows: Sequence[Row], add: Callable[..., Any]) -> None:
        """Send a batch; rows that the service could not take just now are sent again."""
        waiting, failed = {row[KEY]: row for row in rows}, dict[str, int]()
        for number in range(self.settings.retries + 1):
            batch = IndexDocumentsBatch()
            add(batch, list(waiting.values()))
            results = await self._call(lambda batch=batch: self._rows.index_documents(batch))  # type: ignore[misc]
            failed = {one.key: one.status_code for one in results if not one.succeeded}
            refused = [status for status in failed.values() if status not in _PASSING]
            if refused:
                raise rows_refused(len(refused), refused[0])
            waiting = {key: waiting[key] for key in failed}
            if not waiting:
                return
            await asyncio.sleep(min(0.1 * 2**number, self.settings.retry_seconds))
        raise rows_refused(len(waiting), next(iter(failed.values())))

    async def _call(self, task: Callable[[], Awaitable[T]]) -> T:
        if self._is_closed:
            raise StoreClosed("The index in AI Search is closed.", "Open it again.")

        async def explained() -> T:
            try:
                return await task()
            except HttpResponseError as error:
                if error.status_code == _BAD_REQUEST:
                    raise bad_request(error) from error
                raise

        async with self._turns:
            return await with_retries(explained, self.settings, _WHAT)


def _counts(facets: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, int]]:
    return {name: {one["value"]: one["count"] for one in own} for name, own in facets.items()}


def _batches(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Cut rows into batches that the service takes."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        own = sum(_size(value) for value in row.values())
        if batch and (len(batch) == _MOST_ROWS or size + own > _LARGEST):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += own
    if batch:
        yield batch


def _size(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(_size, value))
    if isinstance(value, str):
        return len(value) if value.isascii() else _ESCAPED * len(value)
    return _DIGITS


def open_connection(
    settings: AzureSettings, credential: AsyncTokenCredential | None = None, transport: Any = None
) -> SearchConnection:
    """Read where the index is, and who we are to it; nothing is connected to yet.

    A transport makes what carries a client's requests; by default that is the client's own.
    """
    endpoint = check_endpoint("azure.search_endpoint", settings.search_endpoint)
    who = credential or new_credential()

    def options() -> dict[str, Any]:
        own = {} if transport is None else {"transport": transport()}
        return {
            "connection_timeout": settings.call_seconds,
            "read_timeout": settings.call_seconds,
            "retry_total": 0,
            "user_agent": f"sextant/{__version__}",
            **own,
        }

    rows = SearchClient(endpoint, settings.search_index, who, **options())
    return SearchConnection(rows, SearchIndexClient(endpoint, who, **options()), who, settings)
