import numpy as np
import pytest

from sextant.llms.bge_small.bge_graph import written
from sextant.llms.bge_small.layer_parts import BGE_PLACES, WIDTH
from sextant.llms.bge_small.nets import Net
from sextant.llms.local_nets.onnx_running import started
from tests.llms.bge_small import small_nets

BGE = small_nets.bge()
IDS = list(range(30))


@pytest.fixture(scope="module")
def net() -> Net:
    return Net(started(written(BGE, first_only=False)))


def test_graph_is_always_the_same_file() -> None:
    assert written(BGE, first_only=True) == written(BGE, first_only=True)


def test_rows_are_what_the_layers_say_but_for_rounding(net: Net) -> None:
    expected = small_nets.rows_of(BGE, BGE, IDS, 12, bend="gelu")
    assert small_nets.cosines(net.rows(IDS), expected).min() > 0.999


@pytest.mark.parametrize("length", [1, 2, 17, BGE_PLACES])
def test_first_row_alone_is_the_same_as_among_all(net: Net, length: int) -> None:
    ids = [one % small_nets.WORDS for one in range(length)]
    first = Net(started(written(BGE, first_only=True))).rows(ids)
    rows = net.rows(ids)
    assert rows.shape == (length, WIDTH)
    assert first.shape == (1, WIDTH)
    assert first == pytest.approx(rows[:1], abs=1e-4)


def test_same_tokens_in_another_order_mean_something_else(net: Net) -> None:
    one, other = (net.rows([IDS[0], *order]) for order in (IDS[1:], IDS[:0:-1]))
    assert not np.allclose(one[0], other[0], atol=1e-3)
