"""The example page in a real browser: text as it comes, an action, citations, and an end to it."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest

from sextant.plugins import action
from sextant.types import OPERATOR, Scope
from tests.clients.browser import Page, browsing, find_chromium
from tests.ingest.folders import lay_out
from tests.serve.agui.serving import Copiloted, copiloted, install

pytestmark = pytest.mark.anyio
EXAMPLE = Path(__file__).parents[2] / "examples" / "copilotkit-react"
VITE = EXAMPLE / "node_modules" / "vite" / "bin" / "vite.js"
PAGE = """---
title: Harbor Queue
url: https://docs.example.com/queue
---
# Harbor Queue

Harbor Queue is owned by Team Y. Harbor Queue moves to the west region in May.
"""
_COLOURED = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def node() -> str:
    """Node, with what the example needs."""
    find_chromium()
    found = shutil.which("node")
    if found is None or not VITE.is_file():
        pytest.skip("missing: npm's packages of examples/copilotkit-react; make test installs them")
    # What the page imports is bundled once; done while a page is open, that would load it anew.
    subprocess.run([found, VITE, "optimize"], cwd=EXAMPLE, check=True, capture_output=True)
    return found


@asynccontextmanager
async def example(node: str, copilot: Copiloted) -> AsyncIterator[str]:
    """Run the example as a person does, and say where it is."""
    variables = {"SEXTANT_URL": copilot.server.url, "SEXTANT_TOKEN": copilot.server.token}
    process = await asyncio.create_subprocess_exec(
        *(node, str(VITE), "--port", "0", "--host", "127.0.0.1"),
        cwd=EXAMPLE,
        env=os.environ | variables,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    try:
        told = ""
        while "http://" not in told:
            line = await process.stdout.readline()
            assert line, "The example did not start."
            told = _COLOURED.sub("", line.decode())
        yield told.split()[-1]
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@asynccontextmanager
async def opened(node: str, copilot: Copiloted, folder: Path) -> AsyncIterator[Page]:
    """Open the page of the example, ready to be written to."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(example(node, copilot))
        page = await stack.enter_async_context(browsing(folder / "browser"))
        await page.open(url)
        await page.fetched("/copilotkit/agent/default/connect")
        yield page


@pytest.fixture
async def copilot(
    node: str,  # noqa: ARG001 - without it, nothing is started
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Copiloted]:
    """A server whose model does as the last message says."""
    install(monkeypatch)
    async with copiloted(tmp_path / "store") as own:
        yield own


async def test_text_appears_as_it_comes_an_action_is_done_and_stop_stops(
    node: str, copilot: Copiloted, tmp_path: Path
) -> None:
    async with opened(node, copilot, tmp_path) as page:
        await send(page, "HOLD:2")
        assert "end" not in await page.until(said("tok0 tok1"))
        copilot.model.go_on.set()
        await page.until(said("tok0 tok1 end"))
        await page.fetched("/copilotkit/agent/default/run")

        await send(page, 'TOOL:setPageColour:{"colour":"lavender"}')
        await page.until("document.querySelector('main[data-colour=lavender]') !== null")
        await page.until(said("Tool said: The page is lavender now."))

        copilot.model.forget()
        await send(page, "HOLD:4")
        await page.until(said("tok3"))
        await page.value("document.querySelector('button[data-test-id$=in-progress]').click()")
        async with asyncio.timeout(60):
            await copilot.model.left.wait()
        await page.until("document.querySelector('[data-copilotkit-in-progress=true]') === null")


async def test_an_action_waits_on_the_page_and_is_carried_out_only_if_a_person_approves(
    node: str, copilot: Copiloted, tmp_path: Path
) -> None:
    cancelled = []

    @action(approval=True)
    def cancel_order(order: int) -> str:
        """Cancel an order for good."""
        cancelled.append(order)
        return f"Order {order} is cancelled."

    copilot.server.house.sextant.copilot.register(cancel_order)
    async with opened(node, copilot, tmp_path) as page:
        await send(page, 'TOOL:cancel_order:{"order":7}')
        await page.until(asks("cancel_order", '"order": 7'))
        await page.value(press(0, "Leave it"))
        await page.until(said("The user did not allow this."))
        await page.until("document.querySelector('.approval') === null")
        assert cancelled == []

        await send(page, 'TOOL:cancel_order:{"order":8}')
        await page.until(asks("cancel_order", '"order": 8'))
        assert cancelled == []
        await page.value(press(0, "Do it"))
        await page.until(said("Tool said: Order 8 is cancelled."))
        await page.until("document.querySelector('.approval') === null")
        assert cancelled == [8]

        both = 'TOOL:cancel_order:{"order":9};TOOL:cancel_order:{"order":10}'
        await send(page, both)
        await page.until(asks('"order": 9', '"order": 10'))
        await page.value(press(0, "Leave it"))
        await page.value(press(1, "Do it"))
        await page.until(said("Tool said: Order 10 is cancelled."))
        assert cancelled == [8, 10]


async def test_an_answer_is_cited_in_its_text_and_in_the_state_of_the_agent(
    node: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    lay_out(tmp_path / "docs", {"queue.md": PAGE})
    async with copiloted(tmp_path, {"grounding": "agent"}, llm="none") as copilot:
        everybody = Scope(roles=frozenset({OPERATOR}))
        await copilot.server.house.sextant.ingest(everybody, [str(tmp_path / "docs")])
        async with opened(node, copilot, tmp_path) as page:
            await send(page, "Who owns Harbor Queue?")
            await page.until(said("Team Y"))
            link = "a[href='https://docs.example.com/queue']"
            await page.until(f'document.querySelector(".citations {link}") !== null')
            await page.until(f'document.querySelector(".copilotKitMessages {link}") !== null')
            assert "Team Y" in await page.value("document.querySelector('blockquote').innerText")


async def send(page: Page, text: str) -> None:
    """Write to the copilot, once it takes a message: while a run is under way, it does not."""
    await page.until("document.querySelector('[data-copilotkit-in-progress=true]') === null")
    await page.write("textarea", text)


def said(text: str) -> str:
    """Return an expression for the messages of the page, once one of them has a text."""
    shown = "document.querySelector('.copilotKitMessages')?.innerText ?? ''"
    return f"({shown}).includes({text!r}) && ({shown})"


def asks(*texts: str) -> str:
    """Return an expression that is true once the page asks a person about all of it."""
    asked = "[...document.querySelectorAll('.approval')].map((one) => one.innerText).join()"
    return " && ".join(f"({asked}).includes({text!r})" for text in texts)


def press(place: int, label: str) -> str:
    """Return an expression that presses a button of one of the questions of the page."""
    buttons = f"[...document.querySelectorAll('.approval')[{place}].querySelectorAll('button')]"
    return f"{buttons}.find((one) => one.innerText === {label!r}).click()"
