"""CopilotKit's newest core and AG-UI's newest client, straight to us and by the Node runtime."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sextant.chat.actions.action import action
from sextant.chat.threads.keeping import Threads
from sextant.types import Scope, Speaker, TextMessage
from tests.serve.agui.serving import RUN, Copiloted, copiloted, install
from tests.serve.agui.test_golden import RECORDED

pytestmark = pytest.mark.anyio
HERE = Path(__file__).parents[1] / "peers" / "agui"
_PATIENCE_S = 120
_QUIET = {"COPILOTKIT_TELEMETRY_DISABLED": "true", "DO_NOT_TRACK": "1"}


@pytest.fixture(scope="module")
def node() -> str:
    """Node, with CopilotKit's packages beside the scripts."""
    found = shutil.which("node")
    if found is None or not (HERE / "node_modules" / "@copilotkit").is_dir():
        pytest.skip("missing: npm @copilotkit/core; make test installs it where npm is there")
    return found


@pytest.fixture(scope="module")
async def copilot(
    node: str,  # noqa: ARG001 - without it, nothing is started
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Copiloted]:
    """A server whose model does as the last message says."""
    with pytest.MonkeyPatch.context() as patched:
        install(patched)
        async with copiloted(tmp_path_factory.mktemp("copilot")) as own:
            yield own


async def seen(node: str, script: str, *given: str) -> Any:
    """Return what a script saw."""
    process = await asyncio.create_subprocess_exec(
        *(node, script, *given),
        cwd=HERE,
        env=os.environ | _QUIET,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(_PATIENCE_S):
        told, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return json.loads(told.decode().splitlines()[-1])


@asynccontextmanager
async def node_runtime(node: str, copilot: Copiloted) -> AsyncIterator[str]:
    """Run the Node runtime before our server, and say where it is."""
    process = await asyncio.create_subprocess_exec(
        *(node, "node_runtime.mjs", f"{copilot.server.url}{RUN}", copilot.server.token),
        cwd=HERE,
        env=os.environ | _QUIET,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    try:
        async with asyncio.timeout(_PATIENCE_S):
            told = (await process.stdout.readline()).decode().strip()
        assert told.startswith("http://"), told
        yield told
    finally:
        process.stdin.close()
        await process.wait()


def comparable(view: Any) -> Any:
    """Return what a client saw without the ids that are made anew each time."""
    told = json.loads(json.dumps(view))
    for message in told.get("messages", ()):
        is_made = message["role"] != "user"
        for one in (message, *message.get("toolCalls", ())):
            one.pop("id", None) if is_made else None
        message.pop("toolCallId", None)
    return told


def check_views(views: Any) -> None:
    """Compare what the client saw with what it saw of the Node runtime."""
    for case in ("run_text", "run_frontend_tool", "connect"):
        assert comparable(views[case]) == comparable(RECORDED[case]["clientView"]), case
    failed = views["run_error"]
    assert failed["messages"] == RECORDED["run_error"]["clientView"]["messages"]
    assert len(failed["errors"]) == 1
    assert "secret" not in failed["errors"][0]


@pytest.mark.parametrize("transport", ["rest", "single", "auto"])
async def test_core_sees_what_it_sees_of_the_node_runtime(
    node: str, copilot: Copiloted, transport: str
) -> None:
    url = f"{copilot.server.url}/copilotkit"
    copilot.model.forget()
    views = await seen(node, "core_cases.mjs", url, transport, copilot.server.token)
    expected = "rest" if transport == "auto" else transport
    assert views["info"] == {"status": "connected", "transport": expected, "agents": ["default"]}
    check_views(views)
    assert views["run_stopped"]["errors"] == []
    assert copilot.model.left.is_set()


async def test_core_loads_a_thread_whose_run_did_not_end_and_says_so(
    node: str, copilot: Copiloted
) -> None:
    threads = Threads(copilot.server.house.sextant.store, "default")
    asked = (TextMessage("u-1", Speaker.USER, "Are you there?"),)
    await threads.begin(Scope("default"), "killed", asked, "run-0")
    url = f"{copilot.server.url}/copilotkit"
    view = await seen(node, "connect_thread.mjs", url, copilot.server.token, "killed")
    assert [one["content"] for one in view["messages"]] == ["Are you there?"]
    assert len(view["errors"]) == 1
    assert "did not end" in view["errors"][0]
    assert view["isRunning"] is False


async def test_the_node_runtime_uses_us_as_an_http_agent(node: str, copilot: Copiloted) -> None:
    copilot.model.forget()
    async with node_runtime(node, copilot) as url:
        views = await seen(node, "core_cases.mjs", url, "rest")
    check_views(views)
    async with asyncio.timeout(_PATIENCE_S):
        await copilot.model.left.wait()


async def test_the_newest_client_of_the_protocol_is_asked_and_answers(
    node: str, copilot: Copiloted
) -> None:
    @action(approval=True)
    async def wipe_disk(disk: str) -> str:
        """Wipe a disk."""
        return f"wiped {disk}"

    copilot.server.house.sextant.copilot.register(wipe_disk)
    url = f"{copilot.server.url}{RUN}"
    view = await seen(node, "newest_agent.mjs", url, copilot.server.token)
    assert view["warnings"] == []
    assert set(view["versions"]) == {"1.0"}
    assert view["first"][-1]["content"] == "tok0 tok1 "
    assert [one["reason"] for one in view["asked"]] == ["confirmation"]
    assert "wiped a" in view["messages"][-1]["content"]
