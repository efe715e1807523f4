"""A process that starts a run which waits for a person, says so, and waits to be killed."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

from sextant.testing.scripted import Scripted
from tests.chat.running import PLAIN, opened
from tests.chat.test_threads import deletes, interrupted


async def main(folder: str) -> None:
    settings = replace(PLAIN, store=f"sqlite:{folder}")
    async with opened(Scripted(deletes), settings) as sextant:
        waiting = await interrupted(sextant)
        print(waiting.interrupt_id, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
