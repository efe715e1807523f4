"""An issuer for each test that asks for one."""

from collections.abc import Iterator

import pytest

from tests.serve.identity.issuer import Issuer, issuing


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as one:
        yield one
