"""The MCP conformance suite examines our server, in every revision of the protocol that we speak.

It examines an app of ours into which the tools are put that it calls, and the real server.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.conformance_reasons import (
    AS_IT_IS,
    EXTENSIONS,
    NEEDS_A_TOOL,
    NOT_OFFERED,
    REVISIONS,
    UNEXAMINED,
)
from tests.clients.conformance_suite import Found, examined, outdated, scenarios, unlisted
from tests.clients.product import fill, served
from tests.peers.running import running


@pytest.fixture(scope="module")
def fixture_server(node22: str) -> Iterator[str]:
    """Where an app of ours answers that has the suite's tools."""
    assert node22
    with running([sys.executable, "-m", "tests.clients.conformance_server"]) as url:
        yield url


@pytest.fixture(scope="module")
def real_server(node22: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where `sextant serve` answers whoever comes."""
    assert node22
    folder = tmp_path_factory.mktemp("real")
    fill(folder)
    with served(folder, "--auth", "none") as url:
        yield url


@pytest.fixture(scope="module", params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    """A revision of the protocol."""
    return str(request.param)


@pytest.fixture(scope="module")
def found(
    node22: str, fixture_server: str, revision: str, tmp_path_factory: pytest.TempPathFactory
) -> Found:
    """What came of the scenarios of a revision."""
    return examined(node22, fixture_server, revision, tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def known(node22: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, frozenset[str]]:
    """The scenarios that there are."""
    return dict(scenarios(node22, tmp_path_factory.mktemp("list")))


def test_every_scenario_of_a_revision_is_run(
    found: Found, known: dict[str, frozenset[str]], revision: str
) -> None:
    assert found.keys() == {name for name, revisions in known.items() if revision in revisions}
    assert len(found) > 20


def test_all_that_applies_passes(found: Found) -> None:
    assert unlisted(found, NOT_OFFERED) == {}


def test_nothing_is_excused_that_passes(found: Found) -> None:
    assert outdated(found, NOT_OFFERED) == set()


def test_what_is_excused_is_a_scenario_and_no_extension_is_forgotten(
    known: dict[str, frozenset[str]],
) -> None:
    assert {key.partition(":")[0] for key in {**NOT_OFFERED, **NEEDS_A_TOOL}} <= known.keys()
    assert known.keys() >= AS_IT_IS
    extensions = {name for name, revisions in known.items() if revisions == {"extension"}}
    assert {name for name in extensions if not name.startswith(tuple(EXTENSIONS))} == set()


def test_what_is_said_to_be_unexamined_is_in_no_scenario(
    known: dict[str, frozenset[str]],
) -> None:
    assert {word for word in UNEXAMINED if any(word in name for name in known)} == set()


def test_the_real_server_passes_what_needs_no_tool_of_the_suite(
    node22: str, real_server: str, revision: str, tmp_path: Path
) -> None:
    found = examined(node22, real_server, revision, tmp_path)
    own = {name: verdict for name, verdict in found.items() if name in AS_IT_IS}
    assert unlisted(own, NEEDS_A_TOOL) == {}
    assert outdated(own, NEEDS_A_TOOL) == set()
    assert len(own) > 5
