"""Nets run here, and nobody else hears of it."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import asyncio
from sextant.build import open_embedder
from sextant.settings import Settings


async def main():
    embedder = open_embedder(Settings())
    await embedder.embed(["Who looks after the pump?"], "query")
    await embedder.close()


asyncio.run(main())
"""


def test_only_derived_graphs_are_kept_in_the_cache(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
    assert [one.name for one in tmp_path.iterdir()] == ["sextant"]
