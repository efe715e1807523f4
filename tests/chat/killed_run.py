"""A process whose run is in the midst of a reply when it says so, and waits to be killed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from dataclasses import replace

from sextant.testing.scripted import Scripted
from sextant.types import Delta, Prompt, TextDelta
from tests.chat.running import ANN, PLAIN, QUEUE, opened, request, text_of


class Hesitant(Scripted):
    """Says a word, and no more."""

    async def stream(self, _: Prompt) -> AsyncGenerator[Delta, None]:
        """Begin a reply."""
        yield TextDelta("Well")
        await asyncio.Event().wait()


async def main(folder: str) -> None:
    settings = replace(PLAIN, store=f"sqlite:{folder}")
    async with opened(Hesitant(lambda _: ""), settings, [QUEUE]) as sextant:
        asked = request("Are you there?", thread_id="t", run_id="r", agent="default")
        run = await sextant.copilot.start(ANN, asked)
        async for batch in run.events():
            if text_of(batch):
                while not (await sextant.copilot.load_state(ANN, "t", "default")).exists:
                    pass
                print("begun", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
