"""From settings to a Sextant, or to a part of it that runs alone."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from sextant.ask.question import Means
from sextant.build.copilot_links import open_copilot_links
from sextant.build.models import open_chat, open_embedder, open_extractor, open_tracer
from sextant.build.stores import open_store
from sextant.core import Sextant
from sextant.settings import Settings, load_settings
from sextant.text.words import Words

if TYPE_CHECKING:
    from sextant.core.orchestration import Orchestration
    from sextant.core.pipeline import Pipeline


async def open_sextant(
    settings: Settings | None = None, *, cached_searches: int = 0, keeps_readers: bool = False
) -> Sextant:
    """Open everything that the settings name: the embedder, the models, then the store.

    So many searches are remembered as long as nothing changes what they find. Processes that read
    files are kept from one run to the next only for who closes what is opened here.
    """
    settings = settings or load_settings()
    async with AsyncExitStack() as opened:
        tracer = open_tracer(settings)
        if tracer:
            opened.push_async_callback(tracer.close)
        embedder = open_embedder(settings)
        opened.push_async_callback(embedder.close)
        chat = await open_chat(settings)
        if chat:
            opened.push_async_callback(chat.close)
        extractor = open_extractor(settings)
        links = open_copilot_links(settings, embedder)
        opened.push_async_callback(links.close)
        store = await open_store(settings, embedder)
        opened.pop_all()
    return Sextant(
        *(store, embedder, settings, extractor, chat, tracer, cached_searches, keeps_readers),
        copilot_links=links,
    )


async def build_orchestration(settings: Settings) -> Orchestration:
    """Open the embedder and the models that the settings name, and no store."""
    from sextant.core.orchestration import Orchestration

    async with AsyncExitStack() as opened:
        tracer = open_tracer(settings)
        if tracer:
            opened.push_async_callback(tracer.close)
        embedder = open_embedder(settings)
        opened.push_async_callback(embedder.close)
        chat = await open_chat(settings)
        opened.pop_all()
    return Orchestration(embedder, chat, settings, tracer)


async def build_pipeline(settings: Settings) -> Pipeline:
    """Open the line alone, over the two servers that the settings name; it opens nothing itself."""
    from sextant.core.pipeline import Pipeline
    from sextant.links.peers import open_peers

    peers, words = open_peers(settings), Words(settings.keyword.language)
    means = Means(peers.knowledge, peers.embedder, settings, words, orchestrator=peers.orchestrator)
    return Pipeline(means, peers.close, open_tracer(settings))
