"""A text that is longer than a pass, cut into windows."""

from hypothesis import given
from hypothesis import strategies as st

from sextant.llms.local_nets.windows import windows

SIZE = 64
SPANS = st.lists(st.tuples(st.integers(1, 400), st.integers(0, 30)), max_size=30)


@given(st.integers(2, 300), SPANS)
def test_every_piece_is_read_once_where_it_stands(count: int, spans: list[tuple[int, int]]) -> None:
    ids, last = list(range(count)), count - 1
    places = [(min(start, last), min(start + size, last)) for start, size in spans]
    found = windows(ids, places, SIZE)
    assert all(len(window.ids) <= SIZE for window in found)
    assert all(window.ids[-1] == last for window in found)
    assert found[0].ids[:-1] == ids[: min(count, SIZE) - 1]
    read = [piece for window in found for piece in window.pieces]
    assert len(read) == len(set(read))
    for piece, (start, end) in enumerate(places):
        if start < last:
            (window,) = (one for one in found if piece in one.pieces)
            told = window.ids[:-1][start - window.ahead : end - window.ahead]
            # One that begins in the first window stays there, as far as that goes.
            assert told == ids[start:end][: len(told)]
            assert len(told) == end - start or window is found[0]
