"""One server that all of this is asked of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.serving import Serving, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server whose token opens everything."""
    with serving(tmp_path_factory.mktemp("fuzz")) as one:
        yield one
