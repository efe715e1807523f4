"""Vectors by OpenAI's protocol: ``openai:MODEL``, or ``openai:MODEL#WIDTH`` for shorter ones.

A width that is neither known nor given is learnt by embedding one text when the embedder is opened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import openai

from sextant.errors import EmbedderError, ModelError
from sextant.llms.openai import client as openai_client
from sextant.llms.openai import peer as openai_peer
from sextant.llms.openai.errors import FAILURES, model_error
from sextant.llms.openai.peer import Peer
from sextant.llms.remote_embedder import BLANK, RemoteEmbedder, model_and_width
from sextant.ports import Embedder
from sextant.prompting.secrets.keys import key_for
from sextant.settings import Settings
from sextant.types import EmbedderIdentity

WIDTHS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


def open_embedder(rest: str, settings: Settings) -> Embedder:
    """Open a model of OpenAI by its name."""
    model, width = model_and_width(rest, "openai")
    peer = openai_peer.openai(model)
    key = key_for([peer.key], settings.model)

    def connect() -> Connection:
        client = openai_client.to_openai(key, settings.model)
        return Connection(client, client.close)

    return opened(
        f"openai:{model}", Source(connect, peer, dimensions(model, width)), width, settings
    )


def opened(name: str, source: Source, width: int, settings: Settings) -> Embedder:
    """Open an embedder, and find out its width if need be."""
    width = width or WIDTHS.get(source.peer.model, 0) or _learnt(source)
    connection = source.connect()

    async def fetch(texts: Sequence[str]) -> list[list[float]]:
        return await fetched(connection.client, source, texts)

    return RemoteEmbedder(EmbedderIdentity(name, width), fetch, connection.close, settings)


@dataclass(frozen=True, slots=True)
class Connection:
    """A client, and how it is closed with all that belongs to it."""

    client: openai.AsyncOpenAI
    close: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Source:
    """Where vectors come from: how to connect, to whom, and what to ask for beside the text."""

    connect: Callable[[], Connection]
    peer: Peer
    more: dict[str, Any]


def dimensions(model: str, width: int) -> dict[str, Any]:
    """Ask for the width if it is not the one that the model has by itself."""
    return {"dimensions": width} if width and width != WIDTHS.get(model, width) else {}


_PATIENCE_S = 30.0


async def fetched(
    client: openai.AsyncOpenAI, source: Source, texts: Sequence[str]
) -> list[list[float]]:
    """Return the vectors as the server gives them, in the order of the texts."""
    try:
        reply = await client.embeddings.create(
            model=source.peer.model, input=list(texts), **source.more
        )
        return [one.embedding for one in sorted(reply.data, key=lambda one: one.index)]
    except FAILURES as error:
        raise model_error(error, source.peer) from None


def _learnt(source: Source) -> int:
    """Embed one text to see how wide its vector is; in a thread, since a loop may be running."""

    async def ask() -> int:
        connection = source.connect()
        try:
            async with asyncio.timeout(_PATIENCE_S):
                (vector,) = await fetched(connection.client, source, [BLANK])
            return len(vector)
        finally:
            await connection.close()

    with ThreadPoolExecutor(1) as thread:
        try:
            return thread.submit(asyncio.run, ask()).result()
        except (ModelError, TimeoutError, ValueError) as error:
            what = error.message if isinstance(error, ModelError) else f"It is odd: {error}."
            raise EmbedderError(
                f"The width of {source.peer.model}'s vectors is not known. {what}",
                "Write it after the model, as in MODEL#768.",
            ) from None
