"""The doors as `sextant serve` opens them, in a process that also asks its own core by the line.

``python -m bench.serving.ours`` says where it listens; each line that it then reads is a question,
in a conversation if a name and a tab stand before it.
Core and doors in one process: two processes of one program differ by more than a door costs.
"""

from __future__ import annotations

import asyncio
import sys

from sextant.ask.question import Question
from sextant.serve.running import running
from sextant.settings import load
from sextant.types import Scope


async def main() -> None:
    """Answer until the input ends."""
    async with running(load().settings) as server:
        print(server.url, flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            conversation, _, text = line.strip().rpartition("\t")
            question = Question(text, conversation=conversation)
            await server.house.sextant.ask(Scope(user=conversation or None), question)
            print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
