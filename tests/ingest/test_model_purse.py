"""What reading with a model costs never passes the bound, whatever the model makes of its calls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.ingest.keeping.draft import Draft
from sextant.ingest.model_extraction.cache import Cache
from sextant.ingest.model_extraction.purse import Purse
from sextant.ingest.model_extraction.reader import Reader
from sextant.ingest.report import ByModel
from sextant.settings import ModelSettings
from sextant.testing.scripted import Scripted
from sextant.types import Chunk, Document, Prompt, Reply, Usage
from sextant.types.talking import Ended
from tests.ingest.clerk import passages, replied

PRICED = ModelSettings(input_price=1.0, output_price=4.0)


def drafts(count: int) -> list[Draft]:
    """Documents of three chunks each, all of them different."""
    return [
        Draft(
            Document(f"d{n}", f"Page Number{n}"),
            tuple(Chunk(f"d{n}#c{m}", f"Tidal Desk{n} leans on Salt Box{m}. " * 9) for m in (1, 2)),
            (),
        )
        for n in range(count)
    ]


def spender(shares: Iterator[tuple[float, float, bool]]) -> Scripted:
    """Return a model that counts up to a token a byte, writes as long as it may, and may fail."""

    def script(prompt: Prompt) -> Reply:
        assert prompt.max_tokens is not None
        read, written, obeys = next(shares)
        said = "".join(message.text for message in prompt.messages)
        usage = Usage(int(len(said.encode()) * read), int(prompt.max_tokens * written) or 1)
        return Reply(replied(passages(prompt)) if obeys else "{", ended=Ended(usage=usage))

    return Scripted(script)


async def spent(
    model: Scripted, most: float, prices: ModelSettings, at_once: int, count: int = 6
) -> ByModel:
    async with Cache(None) as cache:
        reader = Reader(model, cache, Purse(most, prices), "tenant", lambda: None)
        own: Sequence[Draft] = drafts(count)
        await reader.plan(own)
        await reader.read(own, at_once)
        return reader.report


shares = st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(shares, min_size=1, max_size=6),
    st.floats(0, 0.2),
    st.floats(0.1, 10),
    st.floats(0, 10),
    st.integers(1, 4),
)
def test_what_is_spent_never_passes_the_bound(
    script: list[tuple[float, float, bool]],
    most: float,
    input_price: float,
    output_price: float,
    at_once: int,
) -> None:
    prices = ModelSettings(input_price=input_price, output_price=output_price)
    report = asyncio.run(spent(spender(cycle(script)), most, prices, at_once))
    assert report.cost is not None
    assert report.cost <= most
    assert report.stopped or report.left == 0


def test_a_reply_and_its_repair_as_long_as_they_may_be_stay_within_the_bound() -> None:
    model = spender(cycle([(1.0, 1.0, False)]))
    report = asyncio.run(spent(model, 0.05, PRICED, 4))
    assert report.cost is not None
    assert 0.02 < report.cost <= 0.05
    assert report.left > 0


@pytest.mark.parametrize("at_once", [1, 4])
def test_calls_at_once_wait_for_what_others_do_not_spend(at_once: int) -> None:
    model = spender(cycle([(0.25, 0.02, True)]))
    report = asyncio.run(spent(model, 0.03, PRICED, at_once))
    assert (report.stopped, report.left, report.read) == ("", 0, 12)
