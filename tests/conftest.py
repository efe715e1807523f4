"""Fixtures that tests of several rooms share, properties without a clock, files in any order."""

import os
import random
import signal

import pytest
from hypothesis import settings

from tests.peers.fixtures import (
    aimock,
    api_descriptions,
    bolt,
    cosmosdb,
    node22,
    npm_server,
    smollm,
    smollm_server,
    smollm_vectors,
    vectors,
)
from tests.rights import open_path

__all__ = [
    "aimock",
    "api_descriptions",
    "bolt",
    "cosmosdb",
    "node22",
    "npm_server",
    "open_path",
    "smollm",
    "smollm_server",
    "smollm_vectors",
    "vectors",
]

# What a terminal, a CI service or a developer's own installation may have set for everything they
# start; rich and typer read the first group, some of it only once, when they are imported.
_TERMINAL = ("FORCE_COLOR", "GITHUB_ACTIONS", "NO_COLOR", "PY_COLORS", "TERMINAL_WIDTH")
_KEPT = "SEXTANT_GOLDEN"
for _name in list(os.environ):
    if _name in _TERMINAL or (_name.startswith("SEXTANT_") and _name != _KEPT):
        del os.environ[_name]

# A script that starts us in the background has us ignore Ctrl-C. Children would inherit that; with
# a handler of Python's here they begin with the default one.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let somebody choose the order of the files."""
    parser.addoption(
        "--file-order",
        type=int,
        metavar="SEED",
        help="Run the files in a random order, the same for the same seed.",
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say how the same order is had again."""
    seed = config.getoption("file_order")
    return None if seed is None else f"file order: random, the same again by FILE_ORDER={seed}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the files into the order that was asked for."""
    seed = config.getoption("file_order")
    if seed is not None:
        shuffle_files(items, seed)


def shuffle_files(items: list[pytest.Item], seed: int) -> None:
    """Shuffle the files; the tests of a file stay together and in their order."""
    files = sorted({item.path for item in items})
    random.Random(seed).shuffle(files)
    places = {path: place for place, path in enumerate(files)}
    items.sort(key=lambda item: places[item.path])


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run async tests on asyncio, as everything here does."""
    return "asyncio"
