from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sextant.errors import EmbedderError
from sextant.llms.bge_small import nets, weights
from sextant.llms.bge_small.layer_parts import WIDTH
from tests.llms.bge_small import small_nets

IDS = list(range(30))


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packed")
    save(folder / "bge.npz", small_nets.bge())
    save(folder / "reader.npz", small_nets.reader())
    return folder


@pytest.fixture(autouse=True)
def cache(packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(weights, "BGE", packed / "bge.npz")
    monkeypatch.setattr(weights, "READER", packed / "reader.npz")
    return tmp_path / "sextant"


def save(path: Path, arrays: small_nets.Arrays) -> None:
    every: dict[str, Any] = {**arrays}
    np.savez(path, **every)


def test_reader_gives_a_row_for_each_id_and_asker_the_first_of_bge() -> None:
    asked, rows = nets.open_asker().rows(IDS), nets.open_bge().rows(IDS)
    assert nets.open_reader().rows(IDS).shape == rows.shape == (len(IDS), WIDTH)
    assert asked == pytest.approx(rows[:1], abs=1e-4)


def test_opened_again_a_net_is_the_one_that_was_kept(cache: Path) -> None:
    first = nets.open_reader().rows(IDS)
    (kept,) = cache.iterdir()
    state = kept.stat()
    assert (nets.open_reader().rows(IDS) == first).all()
    assert kept.stat() == state


def test_a_reader_that_was_taught_anew_is_another_net(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = nets.open_reader().rows(IDS)
    save(tmp_path / "reader.npz", small_nets.reader())
    monkeypatch.setattr(weights, "READER", tmp_path / "reader.npz")
    assert not np.allclose(nets.open_reader().rows(IDS), first, atol=1e-3)


def test_ids_that_no_net_knows_are_an_error_of_the_embedder() -> None:
    with pytest.raises(EmbedderError):
        nets.open_reader().rows([small_nets.WORDS])


def test_turns_are_read_in_full_numbers() -> None:
    turns = weights.load_turns()
    assert turns.pieces.shape == (WIDTH, WIDTH)
    assert turns.passages.shape == turns.questions.shape == (WIDTH,)
    assert {one.dtype for one in (turns.pieces, turns.passages)} == {np.dtype(np.float32)}
