"""A search service for each test, behind one certificate."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.stores.azure.search.parts import Place, running_service


@pytest.fixture(scope="session")
def search_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The service that all tests of a run share, one after the other."""
    with running_service(tmp_path_factory.mktemp("search")) as place:
        yield place


@pytest.fixture
def place(search_place: Place) -> Place:
    """The service as it is when nobody used it yet."""
    fresh = type(search_place.service)()
    search_place.service.__dict__.update(fresh.__dict__)
    return replace(search_place)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for a store."""
    return tmp_path
