"""A store of the sample knowledge, which the tests of this folder share."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from sextant.build import open_sextant
from tests.golden.sample import SAMPLE, sample_settings
from tests.ingest.folders import SCOPE, WRITTEN


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the sample knowledge, whose files were all written on one day."""
    folder = tmp_path_factory.mktemp("golden")
    shutil.copytree(SAMPLE / "knowledge", folder / "knowledge")
    for path in (folder / "knowledge").rglob("*"):
        os.utime(path, (WRITTEN, WRITTEN))

    async def fill() -> None:
        async with await open_sextant(sample_settings(folder / "store")) as sextant:
            await sextant.ingest(SCOPE, [str(folder / "knowledge")])

    asyncio.run(fill())
    return folder / "store"
