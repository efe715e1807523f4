"""The example of a Semantic Kernel agent, served until standard input ends."""

import asyncio
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [
    str(HERE.parents[2] / "examples" / "semantic-kernel"),
    str(HERE.parent / "copilotkit_python"),
]

from clerk import clerk  # noqa: E402 - the example lies in another folder
from serving import serve  # noqa: E402 - it is shared with the other peers in Python

if __name__ == "__main__":
    asyncio.run(serve(clerk(), "/remote"))
