"""Fetching one page: redirects, robots, limits of size and time. Knows nothing of links."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2

from sextant.errors import (
    BrokenFile,
    Gone,
    Ignored,
    InvalidInput,
    TooMuch,
    Unreachable,
    UnsafeSource,
)
from sextant.ingest.sources.local_file import too_large
from sextant.ingest.sources.rules import SourceRules
from sextant.ingest.sources.web.addresses import Resolve
from sextant.ingest.sources.web.media import check_media_type
from sextant.ingest.sources.web.robots import AGENT, Robots, robots_of
from sextant.ingest.sources.web.transport import NETWORK_TROUBLE, CheckedTransport
from sextant.ingest.sources.web.urls import canonical, origin_of
from sextant.version import __version__

_HEADERS = {"User-Agent": f"{AGENT}/{__version__}", "Accept-Encoding": "gzip, deflate"}
_GONE = (404, 410)
_MOST_ROBOTS = 512 * 1024
_MOST_TYPE = 200


@dataclass(frozen=True, slots=True)
class Page:
    """What came back, and from where in the end."""

    url: httpx2.URL
    body: bytes
    media_type: str
    modified: datetime | None
    nofollow: bool


@asynccontextmanager
async def visiting(
    rules: SourceRules, resolve: Resolve, tls: ssl.SSLContext | None
) -> AsyncIterator[Visitor]:
    """Hold a visitor with its connection open."""
    async with httpx2.AsyncClient(
        transport=CheckedTransport(resolve, rules.private_addresses, tls),
        headers=_HEADERS,
        timeout=rules.read_seconds,
        follow_redirects=False,
        trust_env=False,
    ) as client:
        yield Visitor(client, rules)


class Visitor:
    """Fetches pages, one at a time, with a pause between them."""

    def __init__(self, client: httpx2.AsyncClient, rules: SourceRules) -> None:
        self._client = client
        self._rules = rules
        self._robots: dict[str, Robots] = {}
        self._not_before = 0.0

    async def page(self, url: httpx2.URL, belongs: Callable[[httpx2.URL], bool]) -> Page:
        """Fetch a page, wherever it moved to, as long as every step belongs."""
        try:
            async with asyncio.timeout(self._rules.page_seconds):
                return await self._followed(url, belongs)
        except TimeoutError as error:
            raise TooMuch(
                f"{url} took over {self._rules.page_seconds:g} seconds.", "Raise page_seconds."
            ) from error
        except httpx2.DecodingError as error:
            raise BrokenFile(
                f"{url} is packed in a way that does not unpack.", "Tell the owner of the site."
            ) from error
        except NETWORK_TROUBLE as error:
            raise Unreachable(
                f"{url} cannot be fetched: {_reason(error)}.", "Try again later."
            ) from error

    async def _followed(self, url: httpx2.URL, belongs: Callable[[httpx2.URL], bool]) -> Page:
        for _ in range(self._rules.most_redirects + 1):
            if not belongs(url):
                raise Ignored(f"{url} lies outside of what was asked for.", "Name it as a source.")
            await self._be_polite(url)
            async with self._client.stream("GET", url) as answer:
                if not answer.has_redirect_location:
                    return await self._read(url, answer)
            url = _moved(url, answer)
        raise TooMuch(f"{url} redirects too often.", "Name the page that it should lead to.")

    async def _read(self, url: httpx2.URL, answer: httpx2.Response) -> Page:
        if answer.status_code in _GONE:
            raise Gone(f"{url} does not exist (status {answer.status_code}).", "Check the address.")
        if not answer.is_success:
            raise Unreachable(f"{url} answered with status {answer.status_code}.", "Try later.")
        media_type = answer.headers.get("Content-Type", "")[:_MOST_TYPE]
        check_media_type(str(url), media_type)
        return Page(
            url,
            await self._body(url, answer),
            media_type,
            _modified(answer.headers.get("Last-Modified", "")),
            "nofollow" in answer.headers.get("X-Robots-Tag", "").lower(),
        )

    async def _body(self, url: httpx2.URL, answer: httpx2.Response) -> bytes:
        most = self._rules.most_bytes
        announced = answer.headers.get("Content-Length", "")
        if announced.isdecimal() and len(announced) < 20 and int(announced) > most:
            raise too_large(str(url), most)
        body = await _start_of(answer, most + 1)
        if len(body) > most:
            raise too_large(str(url), most)
        return body

    async def _be_polite(self, url: httpx2.URL) -> None:
        origin = origin_of(url)
        if origin not in self._robots:
            self._robots[origin] = await self._robots_at(canonical(f"{origin}/robots.txt"))
        robots = self._robots[origin]
        if not robots.allow(str(url)):
            raise Ignored(f"The site asks robots not to fetch {url}.", "Ask its owner for a copy.")
        await self._pause(robots.pause())

    async def _pause(self, wish: float) -> None:
        now = asyncio.get_running_loop().time()
        if self._not_before > now:
            await asyncio.sleep(self._not_before - now)
        self._not_before = max(now, self._not_before) + max(wish, self._rules.delay_seconds)

    async def _robots_at(self, url: httpx2.URL) -> Robots:
        for _ in range(self._rules.most_redirects + 1):
            async with self._client.stream("GET", url) as answer:
                if answer.is_server_error:
                    raise Unreachable(f"{url} answered with status {answer.status_code}.", "Wait.")
                if not answer.has_redirect_location:
                    text = await _start_of(answer, _MOST_ROBOTS) if answer.is_success else b""
                    return robots_of(text.decode("utf-8", "replace"))
            url = _moved(url, answer)
        return robots_of("")


async def _start_of(answer: httpx2.Response, most: int) -> bytes:
    """Read a body up to a size; what is counted is what came out of its packing."""
    pieces, size = [], 0
    async for piece in answer.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size >= most:
            break
    return b"".join(pieces)[:most]


def _moved(url: httpx2.URL, answer: httpx2.Response) -> httpx2.URL:
    try:
        target = canonical(answer.headers.get("Location", ""), url)
    except InvalidInput as error:
        raise UnsafeSource(
            f"{url} redirects to something else than an http or https page.", "Check the address."
        ) from error
    if url.scheme == "https" and target.scheme == "http":
        raise UnsafeSource(f"{url} redirects to an unprotected page.", f"Name {target} itself.")
    return target


def _modified(header: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(header)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _reason(error: Exception) -> str:
    text = str(error).strip().rstrip(".") or type(error).__name__
    return text.splitlines()[0][:200]
