"""The conformance suite for embedders. Knows what the port promises, no embedder, no runner.

Inherit it in a pytest file as ``class TestMine(EmbedderConformance)`` and say how to open yours.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar
from unittest import SkipTest

import numpy as np

from sextant.errors import SextantError
from sextant.ports import DiscerningEmbedder, Embedder, LikeningEmbedder, PieceEmbedder

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from numpy.typing import NDArray

    from sextant.ports import Embedder

    Spans = Sequence[tuple[int, int]]
    Told = tuple[NDArray[np.float32], Sequence[NDArray[np.int8]]]

T = TypeVar("T")

TEXTS = (
    "The harbour master closes the northern gate at dusk.",
    "gate",
    "A sextant measures the angle between the horizon and a star, which gives the latitude.",
    "Invoices are paid within thirty days; reminders are sent after forty-five.",
    "",
    "The harbour master closes the northern gate at dusk, and opens it again at dawn. " * 12,
)
UNICODE = (
    "🧭 ⭐ 👩‍🚀 🇳🇴",
    "السدس أداة ملاحة",
    "ספינה בלב ים",
    "六分儀で緯度を測る。",
    "육분의는 각도를 잰다",
    "Ångström naïve coöperation Çelik Łódź ΣΊΣΥΦΟΣ",
    "e\u0301 is e with a mark of its own",
    "a\x00b\x07c\x7f",
    "\u200b\u200d\ufeff",
    "\ufffd\uffff\U0010ffff",
    " \t\r\n\u2028\u3000",
    "?!…—¿",
    "x" * 5_000,
)
QUESTIONS = (
    "When is the northern gate closed?",
    "What does a sextant measure?",
    "When are reminders sent?",
)
VERY_LONG = "north by north-east " * 10_000


class EmbedderConformance:
    """What every embedder must do."""

    def open_embedder(self) -> Embedder:
        """Return a newly opened embedder; the test closes it."""
        raise NotImplementedError("Override open_embedder to return the embedder to be tested.")

    def test_each_text_becomes_a_row_of_float32(self) -> None:
        """The shape follows from the number of texts and the width."""
        vectors = self._vectors(TEXTS)
        assert vectors.shape == (len(TEXTS), self._use(_width))
        assert vectors.dtype == np.float32

    def test_identity_is_named_and_stays_the_same(self) -> None:
        """Two embedders of one kind make comparable vectors, and say so."""
        first, second = self.open_embedder(), self.open_embedder()
        try:
            assert first.identity.name
            assert first.identity.width > 0
            assert first.identity == second.identity
        finally:
            asyncio.run(first.close())
            asyncio.run(second.close())

    def test_every_vector_has_length_1(self) -> None:
        """Stores and scores rely on it."""
        assert_unit(self._vectors(TEXTS))

    def test_same_text_gives_same_vector_again(self) -> None:
        """Bit for bit, in one embedder."""

        async def twice(embedder: Embedder) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            return await _document(embedder, TEXTS), await _document(embedder, TEXTS)

        assert np.array_equal(*self._use(twice))

    def test_freshly_opened_embedder_gives_same_vectors(self) -> None:
        """Bit for bit, so that a restart changes nothing."""
        assert np.array_equal(self._vectors(TEXTS), self._vectors(TEXTS))

    def test_vector_does_not_depend_on_its_batch(self) -> None:
        """Alone, in a batch and in the batch turned round: the same bits."""

        async def alone(embedder: Embedder) -> NDArray[np.float32]:
            return np.concatenate([await _document(embedder, [text]) for text in TEXTS])

        expected = self._use(alone)
        assert np.array_equal(self._vectors(TEXTS), expected)
        assert np.array_equal(self._vectors(TEXTS[::-1])[::-1], expected)

    def test_concurrent_calls_do_not_mix(self) -> None:
        """Each caller gets the vectors of its own texts."""

        async def together(embedder: Embedder) -> list[NDArray[np.float32]]:
            return await asyncio.gather(*(_document(embedder, [text]) for text in TEXTS))

        assert np.array_equal(np.concatenate(self._use(together)), self._vectors(TEXTS))

    def test_no_texts_give_no_rows(self) -> None:
        """An empty batch keeps the width."""
        vectors = self._vectors(())
        assert vectors.shape == (0, self._use(_width))
        assert vectors.dtype == np.float32

    def test_empty_and_blank_texts_have_a_direction(self) -> None:
        """Nothing to say is still a vector of length 1."""
        assert_unit(self._vectors(["", " ", "\n\t"]))

    def test_any_unicode_is_taken(self) -> None:
        """Every script, signs, marks and control characters."""
        vectors = self._vectors(UNICODE)
        assert vectors.shape[0] == len(UNICODE)
        assert_unit(vectors)

    def test_very_long_text_is_taken(self) -> None:
        """The longest text that a store takes can be embedded, if only its beginning."""
        assert_unit(self._vectors([VERY_LONG]))

    def test_query_lies_closer_to_what_it_is_about(self) -> None:
        """The plainest case: shared words against none."""

        async def scores(embedder: Embedder) -> NDArray[np.float32]:
            query = await embedder.embed(["when does the harbour master close the gate"], "query")
            documents = await _document(embedder, [TEXTS[0], TEXTS[3]])
            return np.asarray(documents @ query[0])

        about, unrelated = self._use(scores)
        assert about > unrelated

    def test_what_tells_how_alike_texts_are_is_of_the_same_width(self) -> None:
        """Of length 1, whatever stands beside it, and nearer to the same than to another."""

        async def task(embedder: Embedder) -> None:
            if not isinstance(embedder, LikeningEmbedder):
                raise SkipTest("Not checked: this embedder compares texts by what it searches by.")
            vectors = await embedder.embed_alike(TEXTS)
            assert_unit(vectors)
            assert vectors.shape == (len(TEXTS), embedder.identity.width)
            alone = [(await embedder.embed_alike([text]))[0] for text in TEXTS]
            assert np.array_equal(vectors, alone)
            await embedder.close()
            try:
                await embedder.embed_alike(TEXTS)
            except SextantError:
                return
            raise AssertionError("a closed embedder compares texts")

        self._use(task)

    def test_whole_vector_is_the_same_with_pieces(self) -> None:
        """Bit for bit."""
        vectors, _ = self._pieces(TEXTS, [halves(text) for text in TEXTS])
        assert np.array_equal(vectors, self._vectors(TEXTS))

    def test_each_span_becomes_a_row_of_bytes(self) -> None:
        """A text without spans has none; what was read has a direction, an empty span has not."""
        spans = [halves(TEXTS[0]), [], [(0, 0), (3, 20)]]
        _, told = self._pieces(TEXTS[:3], spans)
        width = self._use(_width)
        assert [own.shape for own in told] == [(2, width), (0, width), (2, width)]
        assert {own.dtype for own in told} == {np.dtype(np.int8)}
        assert told[0].any(axis=1).all()
        assert told[2].any(axis=1).tolist() == [False, True]

    def test_codes_of_pieces_do_not_depend_on_their_batch(self) -> None:
        """Alone or with others, in any order: the same bytes."""
        spans = [halves(text) for text in TEXTS]
        _, told = self._pieces(TEXTS, spans)
        _, turned = self._pieces(TEXTS[::-1], spans[::-1])
        assert _bytes(turned)[::-1] == _bytes(told)
        for text, own, codes in zip(TEXTS, spans, told, strict=True):
            _, alone = self._pieces([text], [own])
            assert _bytes(alone) == [codes.tobytes()]

    def test_row_of_a_span_is_that_of_the_span_alone(self) -> None:
        """So rows come in the order of the spans, whatever that order is."""
        for text in (TEXTS[0], TEXTS[2]):
            spans = halves(text)[::-1]
            _, (together,) = self._pieces([text], [spans])
            _, alone = self._pieces([text] * len(spans), [[span] for span in spans])
            assert together.tobytes() == np.concatenate(alone).tobytes()

    def test_every_piece_has_odds_whatever_is_asked(self) -> None:
        """Finite ones; of a piece of which nothing is known, no better than of any other."""

        async def task(embedder: Embedder) -> None:
            discerning, known = await _discerning(embedder)
            codes = np.concatenate([known, np.zeros_like(known[:1])])
            for question in (*TEXTS, *UNICODE, VERY_LONG):
                odds = await discerning.log_odds(question, codes)
                assert odds.shape == (len(codes),)
                assert odds.dtype == np.float32
                assert np.isfinite(odds).all()
                assert odds[-1] <= odds.min()
            assert (await discerning.log_odds(TEXTS[0], codes[:0])).shape == (0,)

        self._use(task)

    def test_odds_do_not_depend_on_what_was_embedded_before(self) -> None:
        """Bit for bit, whether the question was embedded just now, long ago or never."""

        async def task(embedder: Embedder) -> None:
            discerning, codes = await _discerning(embedder)
            never = [await discerning.log_odds(one, codes) for one in QUESTIONS]
            await embedder.embed(QUESTIONS, "query")
            just_now = [await discerning.log_odds(one, codes) for one in QUESTIONS]
            await embedder.embed([f"Which gate is gate {at}?" for at in range(300)], "query")
            long_ago = [await discerning.log_odds(one, codes) for one in QUESTIONS]
            assert len({own.tobytes() for own in never}) == len(QUESTIONS)
            assert np.array_equal(never, just_now)
            assert np.array_equal(never, long_ago)

        self._use(task)

    def test_odds_of_concurrent_questions_do_not_mix(self) -> None:
        """Each caller gets those of its own question, one that is not embedded yet among them."""

        async def task(embedder: Embedder) -> None:
            discerning, codes = await _discerning(embedder)

            async def asked(question: str) -> NDArray[np.float32]:
                await embedder.embed([question], "query")
                return await discerning.log_odds(question, codes)

            new = discerning.log_odds(TEXTS[0], codes)
            together = await asyncio.gather(new, *map(asked, QUESTIONS))
            alone = [await discerning.log_odds(one, codes) for one in (TEXTS[0], *QUESTIONS)]
            assert np.array_equal(together, alone)

        self._use(task)

    def test_closed_embedder_refuses_to_tell_odds(self) -> None:
        """Of a question that it has embedded, too."""

        async def refuses(embedder: Embedder) -> bool:
            discerning, codes = await _discerning(embedder)
            await embedder.embed(QUESTIONS, "query")
            await embedder.close()
            try:
                await discerning.log_odds(QUESTIONS[0], codes)
            except SextantError:
                return True
            return False

        assert self._use(refuses)

    def test_spans_of_any_unicode_are_taken(self) -> None:
        """Wherever they cut."""
        spans = [
            [(start, end) for end in range(0, len(text), 7) for start in range(0, end, 5)][:50]
            for text in UNICODE
        ]
        _, told = self._pieces(UNICODE, spans)
        assert [len(own) for own in told] == list(map(len, spans))

    def test_spans_that_do_not_fit_are_refused(self) -> None:
        """Those of another number of texts, beyond the text, or back to front."""
        for spans in ([], [[(0, 5)]], [[(2, 1)]], [[(-1, 1)]]):
            try:
                self._pieces(["gate"], spans)
            except SextantError:
                continue
            raise AssertionError(f"{spans} were taken")

    def test_closing_twice_is_closing_once(self) -> None:
        """Whoever tidies up need not know who else did."""

        async def close(embedder: Embedder) -> None:
            await embedder.close()

        self._use(close)

    def test_closed_embedder_refuses_to_embed(self) -> None:
        """It says so with an error of this package."""

        async def refuses(embedder: Embedder) -> bool:
            await embedder.close()
            try:
                await _document(embedder, ["gate"])
            except SextantError:
                return True
            return False

        assert self._use(refuses)

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._use(lambda embedder: _document(embedder, texts))

    def _pieces(self, texts: Sequence[str], spans: Sequence[Spans]) -> Told:
        async def task(embedder: Embedder) -> Told:
            if not isinstance(embedder, PieceEmbedder):
                raise SkipTest("Not checked: this embedder tells nothing of pieces.")
            return await embedder.embed_pieces(texts, spans)

        return self._use(task)

    def _use(self, task: Callable[[Embedder], Awaitable[T]]) -> T:
        async def run() -> T:
            embedder = self.open_embedder()
            try:
                return await task(embedder)
            finally:
                await embedder.close()

        return asyncio.run(run())


def assert_unit(vectors: NDArray[np.float32]) -> None:
    """Every row is finite and of length 1."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    assert np.allclose(lengths, 1.0, rtol=0, atol=1e-5), f"lengths are {lengths}"


def halves(text: str) -> list[tuple[int, int]]:
    """Return where the halves of a text stand."""
    middle = len(text) // 2
    return [(0, middle), (middle, len(text))]


def _bytes(codes: Sequence[NDArray[np.int8]]) -> list[bytes]:
    return [own.tobytes() for own in codes]


async def _discerning(embedder: Embedder) -> tuple[DiscerningEmbedder, NDArray[np.int8]]:
    """Return an embedder that tells odds, and what it says of some pieces."""
    if not isinstance(embedder, DiscerningEmbedder):
        raise SkipTest("Not checked: this embedder has no odds of pieces.")
    _, told = await embedder.embed_pieces(TEXTS, [halves(text) for text in TEXTS])
    return embedder, np.concatenate(told)


async def _document(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    return await embedder.embed(texts, "document")


async def _width(embedder: Embedder) -> int:
    return embedder.identity.width
