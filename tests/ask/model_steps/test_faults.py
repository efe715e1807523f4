"""A server that does everything wrong, asked by the whole line: the offline answer stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sextant.ask.model_steps.chat import Chat
from sextant.ask.workflow.load import load
from sextant.build import open_llm
from sextant.core import Sextant
from sextant.settings import ModelSettings
from sextant.testing.fault_server.deeds import DEEDS
from sextant.testing.fault_server.server import FaultServer
from tests.ask.model_steps.playing import ask, in_place

HASTY = ModelSettings(
    retries=1, read_seconds=0.2, total_seconds=0.5, connect_seconds=0.5, characters=20_000
)
GOOD = {"fine"}


@pytest.mark.parametrize("deed", sorted(DEEDS.keys() - GOOD))
def test_whatever_a_server_does_wrong_the_answer_is_cited_and_claims_nothing_else(
    deed: str,
) -> None:
    async def task(sextant: Sextant) -> None:
        offline = await ask(sextant)
        async with FaultServer(deed) as server:
            settings = replace(sextant.settings, llm=f"{server.url}#fault-1", model=HASTY)
            model = open_llm(settings)
            assert model is not None
            own = replace(sextant, settings=settings, chat=Chat(model, load()))
            answer = await ask(own)
            await model.close()
        assert answer.text == offline.text
        assert answer.citations == offline.citations
        told = answer.trace.step("model")
        assert told is not None
        assert told.facts["fallbacks"]

    in_place(task)
