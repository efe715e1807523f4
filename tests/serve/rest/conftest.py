"""A store of the sample knowledge that is made once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import sextant
from sextant.build import open_sextant
from sextant.ingest.flow import Options
from sextant.toolbox.catalogue.sample import sample_tools
from tests.serve.rest.knowing import EVERYONE
from tests.serve.running import small

SAMPLE = Path(sextant.__file__).parent / "sample" / "knowledge"


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store that nobody writes to."""
    folder = tmp_path_factory.mktemp("sample")

    async def fill() -> None:
        async with await open_sextant(small(folder)) as opened:
            await opened.ingest(EVERYONE, [str(SAMPLE)], Options(name="sample"))
            await opened.toolbox.import_tools(EVERYONE, [sample_tools()])

    asyncio.run(fill())
    return folder / "s"
