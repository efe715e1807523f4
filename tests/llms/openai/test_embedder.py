"""Vectors over the wire, by a scripted peer and by a real model."""

import asyncio
from collections.abc import Callable

import numpy as np
import pytest

from sextant.errors import EmbedderError
from sextant.llms.azure import embedder as azure_embedder
from sextant.llms.compatible import embedder as http_embedder
from sextant.llms.openai import embedder as openai_embedder
from sextant.ports import Embedder
from sextant.settings import ModelSettings, Settings
from sextant.testing.embedders import assert_unit
from tests.peers.fixtures import Aimock

ONCE = Settings(model=ModelSettings(retries=0))


def embed(opener: Callable[[], Embedder], *texts: str) -> tuple[Embedder, np.ndarray]:
    async def run() -> tuple[Embedder, np.ndarray]:
        embedder = opener()
        try:
            return embedder, await embedder.embed(texts, "document")
        finally:
            await embedder.close()

    return asyncio.run(run())


@pytest.fixture
def openai(aimock: Aimock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{aimock.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", aimock.key)


@pytest.mark.usefixtures("openai")
@pytest.mark.parametrize(
    ("rest", "width"),
    [("text-embedding-3-small", 1536), ("text-embedding-3-large#256", 256), ("unheard-of", 1536)],
)
def test_width_is_known_asked_for_or_learnt(rest: str, width: int) -> None:
    embedder, vectors = embed(lambda: openai_embedder.open_embedder(rest, ONCE), "a", "b", "")
    assert embedder.identity.name == f"openai:{rest.partition('#')[0]}"
    assert embedder.identity.width == width
    assert vectors.shape == (3, width)
    assert_unit(vectors)


def test_deployment_on_azure_gives_vectors(aimock: Aimock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", aimock.url)
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", aimock.key)
    embedder, vectors = embed(lambda: azure_embedder.open_embedder("mine", ONCE), "a")
    assert embedder.identity.name == "azure:mine"
    assert_unit(vectors)


def test_real_model_puts_like_texts_together(smollm_vectors: str) -> None:
    rest = f"{smollm_vectors.removeprefix('http:')}/v1#SmolLM2-135M-Instruct.Q4_1"
    texts = ("The cat sat on the mat.", "A cat was sitting on a mat.", "Invoices are due in May.")
    embedder, vectors = embed(lambda: http_embedder.open_embedder(rest, ONCE), *texts)
    assert embedder.identity.width == 576
    assert_unit(vectors)
    cat, cats, invoices = vectors
    assert cat @ cats > cat @ invoices


@pytest.mark.usefixtures("openai")
def test_wrong_key_is_told_when_the_width_is_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "wrong-key-1234")
    with pytest.raises(EmbedderError, match=r"does not accept the key.*MODEL#768") as raised:
        openai_embedder.open_embedder("unheard-of", ONCE)
    assert "wrong-key-1234" not in str(raised.value)


def test_nobody_there_is_an_error_of_ours() -> None:
    with pytest.raises(EmbedderError, match="cannot be connected to"):
        embed(lambda: http_embedder.open_embedder("//127.0.0.1:9/v1#m#8", ONCE), "a")


def test_width_that_the_server_does_not_give_is_told(vectors: str) -> None:
    rest = f"{vectors.removeprefix('http:')}/v1#words#64"
    with pytest.raises(EmbedderError, match="1x128 numbers for 1x64"):
        embed(lambda: http_embedder.open_embedder(rest, ONCE), "a")
