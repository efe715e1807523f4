"""One server for all tests of a file."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.serve.agui.serving import Copiloted, copiloted, install


@pytest.fixture(scope="module")
async def _copilot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Copiloted]:
    with pytest.MonkeyPatch.context() as patched:
        install(patched)
        async with copiloted(tmp_path_factory.mktemp("copilot")) as own:
            yield own


@pytest.fixture
def copilot(_copilot: Copiloted) -> Copiloted:
    """A server of a copilot that is not grounded, whose model has forgotten what it was asked."""
    _copilot.model.forget()
    return _copilot
