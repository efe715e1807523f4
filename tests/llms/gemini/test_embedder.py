from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sextant.errors import ConfigError, EmbedderError, ModelAuthentication, TooLarge
from sextant.limits import Limits
from sextant.llms.gemini.embedder import open_embedder
from sextant.ports import Purpose
from sextant.settings import Settings
from sextant.types import EmbedderIdentity
from tests.llms.servers.gemini import GeminiServer
from tests.llms.servers.http import RIGHT_KEY, Fault

FIRST, SECOND = "gemini-embedding-001", "gemini-embedding-2"
ONCE = replace(Settings(), model=replace(Settings().model, retries=0))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeminiServer]:
    with GeminiServer() as server:
        monkeypatch.setenv("GEMINI_API_KEY", RIGHT_KEY)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        yield server


def vectors(
    texts: Sequence[str],
    purpose: Purpose = "document",
    model: str = FIRST,
    settings: Settings | None = None,
) -> NDArray[np.float32]:
    async def run() -> NDArray[np.float32]:
        embedder = open_embedder(model, settings or Settings())
        try:
            return await embedder.embed(texts, purpose)
        finally:
            await embedder.close()

    return asyncio.run(run())


def sent(server: GeminiServer) -> list[dict[str, Any]]:
    return [one for request in server.requests for one in request.json["requests"]]


@pytest.mark.parametrize(
    ("purpose", "task"), [("document", "RETRIEVAL_DOCUMENT"), ("query", "RETRIEVAL_QUERY")]
)
def test_purpose_is_a_task_type(server: GeminiServer, purpose: Purpose, task: str) -> None:
    vectors(["gate"], purpose)
    assert sent(server) == [
        {
            "model": f"models/{FIRST}",
            "content": {"role": "user", "parts": [{"text": "gate"}]},
            "taskType": task,
            "outputDimensionality": 768,
        }
    ]


@pytest.mark.parametrize(
    ("purpose", "text"),
    [("document", "title: none | text: gate"), ("query", "task: search result | query: gate")],
)
def test_second_generation_is_told_the_purpose_in_words(
    server: GeminiServer, purpose: Purpose, text: str
) -> None:
    vectors(["gate"], purpose, SECOND)
    assert [one["content"]["parts"] for one in sent(server)] == [[{"text": text}]]


@pytest.mark.parametrize("model", [FIRST, SECOND])
def test_each_text_is_a_content_of_its_own(server: GeminiServer, model: str) -> None:
    assert vectors(["gate", "harbour", "star"], model=model).shape == (3, 768)
    assert len(sent(server)) == 3
    assert len(server.requests) == 1


def test_many_texts_go_in_batches(server: GeminiServer) -> None:
    texts = [f"gate {number}" for number in range(250)]
    assert vectors(texts).shape == (250, 768)
    assert [len(one.json["requests"]) for one in server.requests] == [100, 100, 50]


def test_width_follows_the_scheme(server: GeminiServer) -> None:
    model = f"{FIRST}#1536"
    assert vectors(["gate"], model=model).shape == (1, 1536)
    embedder = open_embedder(model, Settings())
    assert embedder.identity == EmbedderIdentity(f"gemini:{model}", 1536)
    asyncio.run(embedder.close())
    assert server.requests


@pytest.mark.parametrize("rest", [f"{FIRST}#0", f"{FIRST}#wide", f"{FIRST}#4000", "", "#768"])
def test_what_names_no_model_or_width_is_refused(rest: str) -> None:
    with pytest.raises(ConfigError, match="gemini-embedding-001"):
        open_embedder(rest, Settings())


def test_text_over_the_limit_is_refused(server: GeminiServer) -> None:
    with pytest.raises(TooLarge):
        vectors(["x" * 11], settings=replace(Settings(), limits=Limits(text=10)))
    assert not server.requests


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (401, "does not accept the key"),
        (404, "knows no such model"),
        (429, "wants fewer calls"),
        (500, "out of order"),
        (Fault.PAGE, "broke off"),
        (Fault.NO_REPLY, "broke off"),
    ],
)
def test_fault_becomes_an_error_of_ours(
    server: GeminiServer, fault: Fault | int, told: str
) -> None:
    server.fault = fault
    with pytest.raises(EmbedderError, match=told):
        vectors(["gate"], settings=ONCE)


def test_unreachable_model_is_tried_again(
    server: GeminiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sextant.prompting.calls.backoff.FIRST_S", 0.0)
    server.fault = 503
    with pytest.raises(EmbedderError, match="out of order"):
        vectors(["gate"])
    assert len(server.requests) == 1 + Settings().model.retries


def test_wait_that_is_too_long_is_not_waited_for(server: GeminiServer) -> None:
    server.fault, server.error_headers = 429, {"retry-after": "100000"}
    with pytest.raises(EmbedderError, match="fewer calls"):
        vectors(["gate"])
    assert len(server.requests) == 1


def test_silence_is_given_up(server: GeminiServer) -> None:
    server.fault = Fault.HANG
    settings = replace(ONCE, model=replace(ONCE.model, total_seconds=0.05))
    with pytest.raises(EmbedderError, match="in time"):
        vectors(["gate"], settings=settings)


def test_vectors_of_another_width_are_refused(
    server: GeminiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.llms.servers.gemini._vector", lambda *_: [1.0])
    with pytest.raises(EmbedderError, match="width 768"):
        vectors(["gate"], settings=ONCE)
    assert server.requests


def test_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    with pytest.raises(ModelAuthentication, match="GEMINI_API_KEY"):
        open_embedder(FIRST, Settings())
