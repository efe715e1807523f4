"""Chat models that speak the protocol of OpenAI's chat completions; ``openai:MODEL`` itself.

Translates, and nothing else: whoever calls bounds the time and tries again.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import openai

from sextant.errors import ConfigError, ModelNotFound
from sextant.llms.openai import client as openai_client
from sextant.llms.openai import peer as openai_peer
from sextant.llms.openai.chunks import PlainChunks
from sextant.llms.openai.errors import FAILURES, model_error, refused_word
from sextant.llms.openai.messages import request
from sextant.llms.openai.peer import Peer, Wording
from sextant.llms.openai.replies import Reading
from sextant.llms.statuses import closed
from sextant.ports import ChatModel
from sextant.prompting.secrets.keys import key_for
from sextant.settings import Settings
from sextant.types import Delta, Ended, ModelIdentity, Prompt


class Reader(Protocol):
    """Turns what a server sends into pieces of a reply."""

    def take(self, chunk: Any) -> Sequence[Delta]:
        """Return what a chunk says."""

    def ended(self) -> Ended:
        """Return the end of the reply, or say that there was none."""


@dataclass(frozen=True, slots=True)
class Language:
    """One of the protocols of OpenAI: where to ask, how, and how a reply is read."""

    path: str
    request: Callable[[Prompt, str, Wording], dict[str, Any]]
    reader: Callable[[], Reader]


COMPLETIONS = Language("/chat/completions", request, Reading)


def open_model(rest: str, settings: Settings) -> ChatModel:
    """Open a model of OpenAI by its name."""
    if not rest:
        raise ConfigError("openai: names no model.", 'Write one, as in "openai:gpt-5-mini".')
    peer = openai_peer.openai(rest)
    client = openai_client.to_openai(key_for([peer.key], settings.model), settings.model)
    return OpenAIChat(client, peer, ModelIdentity("openai", rest))


class OpenAIChat:
    """A connection to a server, and what was learnt of how it wants to be spoken to."""

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        peer: Peer,
        identity: ModelIdentity,
        on_close: Callable[[], None] | None = None,
        language: Language = COMPLETIONS,
    ) -> None:
        self._client, self._peer, self._identity = client, peer, identity
        self._model, self._wording = peer.model, peer.wording
        self._on_close, self._language = on_close, language
        self._closed = False

    @property
    def identity(self) -> ModelIdentity:
        """Who replies."""
        return self._identity

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces."""
        reading = self._language.reader()
        try:
            async with await self._ask(prompt) as chunks:
                async for chunk in chunks:
                    for delta in reading.take(chunk):
                        yield delta
                yield reading.ended()
        except FAILURES as error:
            # Not chained: what the SDK says of a request may show a part of the key.
            raise model_error(error, self._peer) from None

    async def close(self) -> None:
        """Let go of the connection."""
        if not self._closed:
            self._closed = True
            await self._client.close()
            if self._on_close is not None:
                self._on_close()

    async def _ask(self, prompt: Prompt) -> PlainChunks:
        """Send the prompt, in other words if the server does not take these."""
        self._check_open()
        model = self._model or await self._first_model()
        wording, tried = self._wording, {self._wording}
        while True:
            try:
                sent = self._language.request(prompt, model, wording)
                return await self._client.post(
                    self._language.path,
                    # Plain values: the SDK's own classes take longer to make than all the rest.
                    cast_to=object,
                    body=sent,
                    options={"security": {"bearer_auth": True}},
                    stream=True,
                    stream_cls=PlainChunks,
                )
            except openai.BadRequestError as error:
                other = wording.without(refused_word(error))
                if other is None or other in tried:
                    raise
                tried.add(other)
                self._wording = wording = other

    async def _first_model(self) -> str:
        listed = await self._client.models.list()
        names = [one.id for one in listed.data or ()]
        if not names:
            raise ModelNotFound(f"{self._peer.name} has no models.", "Name one after a #.")
        self._model = names[0]
        return self._model

    def _check_open(self) -> None:
        if self._closed:
            raise closed()
