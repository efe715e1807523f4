"""Everything round fetching vectors, with a fetcher that does as it is told."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import (
    ConfigError,
    EmbedderError,
    ModelError,
    ModelRejected,
    ModelUnavailable,
    TooLarge,
)
from sextant.llms import remote_embedder
from sextant.llms.remote_embedder import RemoteEmbedder, batches, model_and_width, readable
from sextant.settings import ModelSettings, Settings
from sextant.types import EmbedderIdentity

IDENTITY = EmbedderIdentity("words:", 8)
Rows = Sequence[Sequence[float]]


class Fetcher:
    """Fails as often as it is told, then gives vectors."""

    def __init__(self, *failures: ModelError, row: Sequence[float] = (3.0,) * 8) -> None:
        self.failures, self.row = list(failures), row
        self.calls: list[list[str]] = []

    async def fetch(self, texts: Sequence[str]) -> Rows:
        self.calls.append(list(texts))
        if self.failures:
            raise self.failures.pop(0)
        return [self.row for _ in texts]

    async def close(self) -> None:
        """Nothing is open."""


def embed(fetcher: Fetcher, *texts: str, settings: Settings | None = None) -> np.ndarray:
    async def run() -> np.ndarray:
        settled = settings or Settings()
        embedder = RemoteEmbedder(IDENTITY, fetcher.fetch, fetcher.close, settled)
        try:
            return await embedder.embed(texts, "document")
        finally:
            await embedder.close()

    return asyncio.run(run())


def test_vectors_are_brought_to_length_1() -> None:
    assert np.allclose(np.linalg.norm(embed(Fetcher(), "a", "b"), axis=1), 1)


def test_server_that_fails_once_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_embedder, "pause_before", lambda *_: 0.0)
    fetcher = Fetcher(
        ModelUnavailable("Down.", "Try again."), ModelUnavailable("Down.", "Try again.")
    )
    assert embed(fetcher, "a").shape == (1, 8)
    assert len(fetcher.calls) == 3


def test_server_that_keeps_failing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_embedder, "pause_before", lambda *_: 0.0)
    fetcher = Fetcher(*(ModelUnavailable("Down.", "Wait.") for _ in range(9)))
    with pytest.raises(EmbedderError, match=r"Down\. Wait\."):
        embed(fetcher, "a")
    assert len(fetcher.calls) == 1 + ModelSettings().retries


def test_what_the_server_does_not_take_is_not_tried_again() -> None:
    fetcher = Fetcher(ModelRejected("No.", "Leave it out."), ModelRejected("No.", "Leave it out."))
    with pytest.raises(EmbedderError, match=r"No\."):
        embed(fetcher, "a")
    assert len(fetcher.calls) == 1


def test_server_that_wants_to_be_left_alone_for_too_long_is() -> None:
    hours = ModelUnavailable("Down.", "Try again.", retry_after=7_200)
    with pytest.raises(EmbedderError, match=r"Down\."):
        embed(Fetcher(hours), "a")


def test_silent_server_is_left_after_the_time_that_is_set() -> None:
    class Silent(Fetcher):
        async def fetch(self, texts: Sequence[str]) -> Rows:
            await asyncio.Event().wait()
            return await super().fetch(texts)

    hasty = Settings(model=ModelSettings(total_seconds=0.02))
    with pytest.raises(EmbedderError, match="in time"):
        embed(Silent(), "a", settings=hasty)


@pytest.mark.parametrize(
    "row", [(1.0,) * 7, (1.0,) * 9, (), (float("nan"),) * 8, (float("inf"),) * 8, (0.0,) * 8]
)
def test_vector_that_is_none_is_refused(row: Sequence[float]) -> None:
    with pytest.raises(EmbedderError, match="words:"):
        embed(Fetcher(row=row), "a")


def test_text_over_the_limit_is_refused_before_anything_is_sent() -> None:
    fetcher = Fetcher()
    limited = replace(Settings(), limits=replace(Settings().limits, text=3))
    with pytest.raises(TooLarge):
        embed(fetcher, "four", settings=limited)
    assert not fetcher.calls


@given(st.lists(st.text(max_size=3_000), max_size=40))
def test_batches_hold_every_text_once_and_in_order(texts: list[str]) -> None:
    cut = list(batches(texts))
    assert [text for batch in cut for text in batch] == texts
    assert all(0 < len(batch) <= remote_embedder.TEXTS for batch in cut)
    for batch in cut:
        assert len(batch) == 1 or sum(len(one.encode()) for one in batch) <= remote_embedder.BYTES


@given(st.text(max_size=9_000))
def test_what_is_read_of_a_text_is_its_beginning_and_never_nothing(text: str) -> None:
    read = readable(text)
    assert read
    assert len(read.encode()) <= remote_embedder.LONGEST
    assert text.startswith(read) or not text.strip()


def test_width_stands_after_the_model() -> None:
    assert model_and_width("m", "openai") == ("m", 0)
    assert model_and_width("m#768", "openai") == ("m", 768)


@pytest.mark.parametrize("rest", ["", "#768", "m#", "m#7", "m#wide", "m#99999", "m#-5"])
def test_model_without_a_name_or_with_an_odd_width_is_refused(rest: str) -> None:
    with pytest.raises(ConfigError, match="Write"):
        model_and_width(rest, "openai")
