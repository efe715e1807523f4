import numpy as np
import pytest

from sextant.llms.bge_small.layer_parts import READER_PLACES, WIDTH
from sextant.llms.bge_small.nets import Net
from sextant.llms.bge_small.reader_graph import written
from sextant.llms.local_nets.onnx_running import started
from tests.llms.bge_small import small_nets

TABLE, READER = small_nets.bge(), small_nets.reader()
IDS = list(range(30))


@pytest.fixture(scope="module")
def net() -> Net:
    return Net(started(written(TABLE, READER)))


def test_graph_is_always_the_same_file() -> None:
    assert written(TABLE, READER) == written(TABLE, READER)


def test_rows_are_what_the_layers_say_but_for_rounding(net: Net) -> None:
    expected = small_nets.rows_of(TABLE, READER, IDS, 6, bend="relu")
    rows = net.rows(IDS)
    assert small_nets.cosines(rows, expected).min() > 0.999
    assert small_nets.cosines(rows.mean(0), expected.mean(0)) > 0.9999


@pytest.mark.parametrize("length", [1, 2, 17, READER_PLACES])
def test_any_length_gives_a_finite_row_for_each_id(net: Net, length: int) -> None:
    rows = net.rows([one % small_nets.WORDS for one in range(length)])
    assert rows.shape == (length, WIDTH)
    assert np.isfinite(rows).all()


def test_same_tokens_in_another_order_mean_something_else(net: Net) -> None:
    one, other = (net.rows(order).mean(0) for order in (IDS, IDS[::-1]))
    assert not np.allclose(one, other, atol=1e-3)


def test_numbers_beyond_the_largest_are_cut_off() -> None:
    narrow = {
        name: array / 1000 if name.endswith(".largest") else array for name, array in READER.items()
    }
    rows = Net(started(written(TABLE, narrow))).rows(IDS)
    assert np.isfinite(rows).all()
