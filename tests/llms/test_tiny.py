import asyncio
import subprocess
import sys
from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from sextant.errors import ConfigError, EmbedderError, InvalidInput, TooLarge
from sextant.limits import Limits
from sextant.llms.tiny import Tiny, open_embedder
from sextant.settings import Settings
from sextant.types import EmbedderIdentity

HARBOUR_GATE = "00000000f84b46bf0000000000000000a53284bea53204bf00000000a532843e"


def vectors(texts: Sequence[str], embedder: Tiny | None = None) -> NDArray[np.float32]:
    return asyncio.run((embedder or Tiny()).embed(texts, "document"))


def test_shared_words_bring_texts_closer() -> None:
    rows = vectors(["the northern gate", "a gate in the north", "thirty invoices"])
    assert rows[0] @ rows[1] > rows[0] @ rows[2]


def test_shared_parts_of_words_bring_texts_closer() -> None:
    rows = vectors(["navigation", "navigator", "bookkeeping"])
    assert rows[0] @ rows[1] > rows[0] @ rows[2]


def test_a_piece_points_where_its_words_alone_do() -> None:
    text = "The gate is shut. Thirty invoices are due."
    spans = [(0, 17), (18, len(text)), (5, 5)]
    whole, (codes,) = asyncio.run(Tiny().embed_pieces([text], [spans]))
    assert np.array_equal(whole, vectors([text]))
    alone = vectors([text[start:end] for start, end in spans[:2]])
    rows = codes / np.maximum(np.linalg.norm(codes.astype(np.float64), axis=1, keepdims=True), 1)
    assert (rows[:2] * alone).sum(axis=1) == pytest.approx([1, 1], abs=1e-3)
    assert not codes[2].any()


def test_case_does_not_matter() -> None:
    rows = vectors(["Harbour GATE", "harbour gate"])
    assert np.array_equal(rows[0], rows[1])


def test_vector_is_the_same_in_every_process_and_on_every_machine() -> None:
    code = (
        "import asyncio; from sextant.llms.tiny import Tiny;"
        "print(asyncio.run(Tiny(8).embed(['harbour gate'], 'query')).tobytes().hex())"
    )
    other = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert other.stdout.strip() == vectors(["harbour gate"], Tiny(8)).tobytes().hex()
    assert vectors(["harbour gate"], Tiny(8)).tobytes().hex() == HARBOUR_GATE


@pytest.mark.parametrize(("rest", "width"), [("", 64), ("8", 8), ("128", 128), ("4096", 4096)])
def test_width_follows_the_scheme(rest: str, width: int) -> None:
    embedder = cast("Tiny", open_embedder(rest, Settings()))
    assert embedder.identity == EmbedderIdentity(f"tiny:{width}", width)
    assert vectors(["gate"], embedder).shape == (1, width)


@pytest.mark.parametrize("rest", ["0", "7", "4097", "-64", "wide", "64.0", " 64", "٦٤", "9" * 5000])
def test_any_other_width_is_refused(rest: str) -> None:
    with pytest.raises(ConfigError, match="tiny:128"):
        open_embedder(rest, Settings())


def test_text_over_the_limit_is_refused() -> None:
    embedder = Tiny(limits=Limits(text=10))
    assert vectors(["x" * 10], embedder).shape == (1, 64)
    with pytest.raises(TooLarge):
        vectors(["x" * 11], embedder)


@pytest.mark.parametrize("texts", [["gate", None], [b"gate"], "gate"])
def test_what_is_no_list_of_texts_is_refused(texts: list[str]) -> None:
    with pytest.raises(InvalidInput):
        vectors(texts)


def test_closed_embedder_refuses_even_an_empty_batch() -> None:
    embedder = Tiny()
    asyncio.run(embedder.close())
    with pytest.raises(EmbedderError, match="closed"):
        vectors([], embedder)
