"""A server whose copilot speaks AG-UI, and a client that reads its events one by one."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import httpx2
import pytest
from ag_ui.core import Event
from pydantic import TypeAdapter

from sextant import entrypoints
from sextant.settings import ChatSettings, GuardrailSettings, ModelSettings
from tests.serve.agui.steered_model import SCHEME, SteeredModel, last_model
from tests.serve.running import Served, served, small

RUN = "/copilotkit/agent/default/run"
_EVENT: TypeAdapter[Any] = TypeAdapter(Event)


@dataclass(frozen=True)
class Copiloted:
    """A server under way, and its model."""

    server: Served
    model: SteeredModel
    client: httpx2.AsyncClient

    async def post(self, path: str, body: Any) -> httpx2.Response:
        """Send a request whose answer is one piece."""
        return await self.client.post(path, json=body)

    async def events(self, path: str, body: Any) -> list[dict[str, Any]]:
        """Return all events of a run, every one of them as the protocol has it."""
        return [event async for event in self.stream(path, body)]

    async def stream(self, path: str, body: Any) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the events of a run as they come."""
        async with self.client.stream("POST", path, json=body) as response:
            assert response.status_code == 200, await response.aread()
            assert response.headers["content-type"] == "text/event-stream"
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    yield checked(json.loads(line.removeprefix("data: ")))


def checked(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event that ag-ui-protocol knows, with no field that it does not know."""
    model = _EVENT.validate_python(event)
    assert not model.model_extra, event
    return event


def run_input(text: str, **more: Any) -> dict[str, Any]:
    """Return what a client starts a run with."""
    own = {
        "threadId": "thread-1",
        "runId": "run-1",
        "state": {},
        "messages": [{"id": "u-1", "role": "user", "content": text}],
        "tools": [],
        "context": [],
        "forwardedProps": {},
    }
    return own | more


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the model installed as an adapter."""
    target = "tests.serve.agui.steered_model:open_model"
    points = EntryPoints([EntryPoint(SCHEME, target, "sextant.llms")])
    monkeypatch.setattr(entrypoints, "_installed", lambda: points)


@asynccontextmanager
async def copiloted(
    folder: Path,
    chat: Mapping[str, Any] | None = None,
    llm: str = f"{SCHEME}:",
    guardrails: GuardrailSettings | None = None,
    model: ModelSettings | None = None,
    **options: Any,
) -> AsyncIterator[Copiloted]:
    """Serve a copilot that is not grounded, unless the settings of chat say otherwise."""
    own = ChatSettings(**({"grounding": "off"} | dict(chat or {})))
    settings = replace(small(folder, llm=llm), chat=own)
    settings = replace(
        settings,
        guardrails=guardrails or settings.guardrails,
        model=model or settings.model,
    )
    options = {"doors": "rest, copilotkit", "audit": False} | options
    async with served(settings, **options) as server, server.client() as client:
        yield Copiloted(server, last_model(), client)
