"""Chromium without a window, driven over a pipe by its DevTools protocol: no driver is needed."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_PATIENCE_S = 120
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--no-first-run", "--disable-background-networking", "--remote-debugging-pipe"),
)
_AS_3_AND_4 = """import fcntl, os, sys
read, write = (fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3])
os.dup2(read, 3), os.dup2(write, 4)
os.execv(sys.argv[3], sys.argv[3:])"""
"""Chromium reads what it is told there, and answers there."""
_NOTE_FETCHED = """const own = window.fetch;
window.fetch = async (...asked) => {
  const answer = await own(...asked);
  answer.clone().text().then(() => {
    const place = document.documentElement.dataset, path = new URL(answer.url).pathname;
    place.fetched = `${place.fetched ?? ""} ${path}`;
  }, () => {});
  return answer;
};"""
"""Lets a test wait for what the page has fetched."""
_WAIT = """new Promise((done) => {
  const look = () => {
    const found = (() => (%s))();
    if (found) { watch.disconnect(); done(found); }
  };
  const watch = new MutationObserver(look);
  watch.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
  look();
})"""


def find_chromium() -> str:
    """Return where Chromium is, or skip the test."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("missing: Chromium; Debian's package chromium has it")
    return found


class NavigatedError(Exception):
    """The page went elsewhere, or was loaded anew, before it answered."""


@dataclass
class Page:
    """One page of a browser."""

    writer: asyncio.StreamWriter
    session: str = ""
    _number: int = 0
    _answers: dict[int, asyncio.Future[Any]] = field(default_factory=dict)

    async def open(self, url: str) -> None:
        """Open an address in a page of its own."""
        target = await self._call("Target.createTarget", url="about:blank")
        own = {"targetId": target["targetId"], "flatten": True}
        self.session = (await self._call("Target.attachToTarget", **own))["sessionId"]
        await self._call("Page.enable")
        await self._call("Page.addScriptToEvaluateOnNewDocument", source=_NOTE_FETCHED)
        await self._call("Page.navigate", url=url)

    async def value(self, expression: str) -> Any:
        """Return what a JavaScript expression gives, once it is known."""
        own = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        told = await self._call("Runtime.evaluate", **own)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    async def until(self, expression: str) -> Any:
        """Wait until an expression is true in the page, whenever that changes, and return it."""
        while True:
            with suppress(NavigatedError):
                return await self.value(_WAIT % expression)

    async def fetched(self, path: str) -> None:
        """Wait until the page has fetched something, to the end."""
        place = "document.documentElement?.dataset.fetched"
        await self.until(f"({place} ?? '').split(' ').includes({json.dumps(path)})")

    async def write(self, selector: str, text: str) -> None:
        """Write into a field as a person does, and press Enter."""
        place = json.dumps(selector)
        await self.until(f"document.querySelector({place}) !== null")
        await self.value(f"document.querySelector({place}).focus()")
        await self._call("Input.insertText", text=text)
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        for kind in ("keyDown", "keyUp"):
            await self._call("Input.dispatchKeyEvent", type=kind, **key)

    async def _call(self, method: str, **params: Any) -> Any:
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self.session:
            asked["sessionId"] = self.session
        answer = self._answers[self._number] = asyncio.get_running_loop().create_future()
        self.writer.write(json.dumps(asked).encode() + b"\0")
        async with asyncio.timeout(_PATIENCE_S):
            return await answer

    async def listen(self, reader: asyncio.StreamReader) -> None:
        """Hand every answer to whoever waits for it; events are not needed."""
        while True:
            told = json.loads((await reader.readuntil(b"\0"))[:-1])
            if answer := self._answers.pop(told.get("id"), None):
                if "error" in told:
                    kind = NavigatedError if "navigated" in str(told) else AssertionError
                    answer.set_exception(kind(told["error"]))
                else:
                    answer.set_result(told["result"])


@asynccontextmanager
async def browsing(folder: Path) -> AsyncIterator[Page]:
    """Run a browser that keeps all it has in a folder, until the block ends."""
    command = (find_chromium(), *_OPTIONS, f"--user-data-dir={folder}")
    to_browser, from_browser = os.pipe(), os.pipe()
    ends = (str(to_browser[0]), str(from_browser[1]))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _AS_3_AND_4, *ends, *command),
        pass_fds=(to_browser[0], from_browser[1]),
        stderr=asyncio.subprocess.DEVNULL,
    )
    os.close(to_browser[0])
    os.close(from_browser[1])
    reader, writer = await _connected(from_browser[0], to_browser[1])
    page = Page(writer)
    listening = asyncio.create_task(page.listen(reader))
    try:
        yield page
    finally:
        writer.close()  # with its pipe, the browser ends
        await asyncio.wait({listening})
        listening.exception()
        await process.wait()


async def _connected(read: int, write: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=64 * 1024 * 1024)
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(write, "wb")
    )
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read, "rb")
    )
    return reader, asyncio.StreamWriter(transport, protocol, None, loop)
