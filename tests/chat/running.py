"""Runs in tests: an open Sextant with a scripted model or none, and what a run told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

from sextant.ask.model_steps.chat import Chat
from sextant.ask.workflow.load import load as load_workflow
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.core.copilot import Copilot
from sextant.ports import ChatModel
from sextant.settings import ChatSettings, Settings
from sextant.types import (
    Chunk,
    Document,
    Entity,
    Put,
    RunEvent,
    RunRequest,
    Scope,
    Speaker,
    TextAdded,
    TextMessage,
)

T = TypeVar("T")
ANN = Scope("acme", user="ann")
PLAIN = Settings(store="memory:", embedder="tiny:16", chat=ChatSettings(grounding="off"))
GROUNDED = replace(PLAIN, chat=ChatSettings())
QUEUE = Put(
    Document("queue", "Harbor Queue", url="https://docs.example/queue(1)"),
    (Chunk("queue#1", "Harbor Queue is owned by Team Keel."),),
    (Entity("harbor-queue", "Harbor Queue"),),
)


@asynccontextmanager
async def opened(
    model: ChatModel | None = None,
    settings: Settings = PLAIN,
    puts: Iterable[Put] = (),
    offered: tuple[ChatModel, ...] = (),
) -> AsyncIterator[Sextant]:
    async with await open_sextant(settings) as sextant:
        if puts := list(puts):
            await sextant.write(ANN, puts)
        chat = Chat(model, load_workflow(""), offered=offered) if model else None
        async with replace(sextant, chat=chat) as own:
            yield own


def request(text: str = "Hello", **more: Any) -> RunRequest:
    return RunRequest((TextMessage("u1", Speaker.USER, text),), **more)


async def events_of(copilot: Copilot, asked: RunRequest, scope: Scope = ANN) -> list[RunEvent]:
    run = await copilot.start(scope, asked)
    return [event async for batch in run.events() for event in batch]


def text_of(events: Iterable[RunEvent]) -> str:
    return "".join(one.text for one in events if isinstance(one, TextAdded))


def only(events: Iterable[RunEvent], kind: type[T]) -> list[T]:
    return [one for one in events if isinstance(one, kind)]
