"""Whoever works with texts: embedders, language models, retrievers, extractors, a tracer."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from sextant.build.adapters import find_adapter, missing_extra
from sextant.errors import SextantError
from sextant.ports import ChatModel, Embedder, Extractor, Retriever
from sextant.settings import APP_INSIGHTS_VARIABLE, MODEL_CHOICES, NO_MODEL, Settings
from sextant.spans import Tracer

if TYPE_CHECKING:
    from sextant.ask.model_steps.chat import Chat
    from sextant.ask.workflow.nouns import Agent

SILENT = "empty"


def open_embedder(settings: Settings) -> Embedder:
    """Open the embedder."""
    opener, rest = find_adapter("embedder", settings.embedder)
    embedder: Embedder = opener(rest, _keyed(settings, settings.embedder))
    return embedder


def open_llm(settings: Settings, choice: str = "") -> ChatModel | None:
    """Open the language model that is chosen, or that the settings name; none is a choice too."""
    chosen = choice or settings.llm
    if chosen in (NO_MODEL, ""):
        return None
    from sextant.prompting.calls.guarded import guarded
    from sextant.prompting.calls.tracing import traced_model

    opener, rest = find_adapter("llm", chosen)
    model: ChatModel = opener(rest, _keyed(settings, chosen))
    return traced_model(guarded(model, settings.model))


async def open_chat(settings: Settings) -> Chat | None:
    """Open the models of the workflow, if there is one that speaks."""
    async with AsyncExitStack() as opened:
        model = open_llm(settings)
        if model is None or model.identity.provider == SILENT:
            return None
        opened.push_async_callback(model.close)
        from sextant.ask.model_steps.chat import Chat
        from sextant.ask.workflow.load import load as load_workflow

        workflow, own = load_workflow(settings.workflow), dict[str, ChatModel]()
        for agent in workflow.agents.values():
            other = _own_model(settings, agent) if agent.model else None
            if other:
                opened.push_async_callback(other.close)
                own[agent.name] = other
        offered: list[ChatModel] = []
        for choice in settings.chat.models:
            if more := open_llm(settings, choice):
                opened.push_async_callback(more.close)
                offered.append(more)
        retriever = open_retriever(settings, workflow.agents["retriever"].retriever)
        opened.pop_all()
    return Chat(model, workflow, own, retriever, tuple(offered))


def open_retriever(settings: Settings, choice: str) -> Retriever | None:
    """Open a retriever of somebody else, unless our own is chosen."""
    from sextant.ask.workflow.nouns import OWN_RETRIEVER

    if choice in (OWN_RETRIEVER, ""):
        return None
    opener, rest = find_adapter("retriever", choice)
    retriever: Retriever = opener(rest, settings)
    return retriever


def open_extractor(settings: Settings) -> Extractor | None:
    """Open the extractor of names, if one is chosen beside the patterns and the model."""
    if settings.ingest.extractor in ("", *MODEL_CHOICES):
        return None
    opener, rest = find_adapter("extractor", settings.ingest.extractor)
    extractor: Extractor = opener(rest, settings)
    return extractor


def open_tracer(settings: Settings) -> Tracer | None:
    """Open the way for spans to where they are read, if any is set; else nothing is imported."""
    connection_string = os.environ.get(APP_INSIGHTS_VARIABLE, "").strip()
    if not settings.telemetry.endpoint and not connection_string:
        return None
    try:
        from sextant.links import otlp

        return otlp.open_tracer(settings, connection_string)
    except ImportError as error:
        extra = "otel" if settings.telemetry.endpoint else "appinsights"
        raise missing_extra(extra, error) from error


def _own_model(settings: Settings, agent: Agent) -> ChatModel | None:
    try:
        return open_llm(settings, agent.model)
    except SextantError as error:
        error.message = f"{agent.file}: {error.message}"
        raise


def _keyed(settings: Settings, choice: str) -> Settings:
    """Return the settings with the key file for whom it is: one provider's key is nobody else's."""
    owner = settings.embedder if settings.llm in (NO_MODEL, "") else settings.llm
    if choice.partition(":")[0] == owner.partition(":")[0]:
        return settings
    return replace(settings, model=replace(settings.model, key_file=""))
