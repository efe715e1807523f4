"""The adapters of vendors' models against servers that speak the vendors' protocols."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import ClassVar

import pytest

from sextant.llms.anthropic import chat as anthropic_chat
from sextant.llms.gemini import chat as gemini_chat
from sextant.llms.gemini import embedder as gemini_embedder
from sextant.llms.langserve import chat as langserve
from sextant.ports import ChatModel, Embedder
from sextant.settings import HTTP_KEY_VARIABLE, Settings
from sextant.testing import EmbedderConformance
from sextant.testing.chat_model_suite.prompts import WRONG_KEY
from sextant.testing.chat_model_suite.suite import Ability, ChatModelConformance
from tests.llms.servers import anthropic, gemini
from tests.llms.servers.anthropic import AnthropicServer
from tests.llms.servers.gemini import GeminiServer
from tests.llms.servers.http import RIGHT_KEY
from tests.llms.servers.langserve import LangServeServer


def nobody() -> str:
    """An address where nobody answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


class TestAnthropic(ChatModelConformance):
    @pytest.fixture(autouse=True)
    def served(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        self.environment = monkeypatch
        with AnthropicServer() as server:
            monkeypatch.setenv("ANTHROPIC_API_KEY", RIGHT_KEY)
            monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
            yield

    def open_model(self) -> ChatModel:
        return anthropic_chat.open_model(anthropic.MODEL, Settings())

    def open_unreachable(self) -> ChatModel:
        self.environment.setenv("ANTHROPIC_BASE_URL", nobody())
        return self.open_model()

    def open_with_wrong_key(self) -> ChatModel:
        self.environment.setenv("ANTHROPIC_API_KEY", WRONG_KEY)
        return self.open_model()


class TestGemini(ChatModelConformance):
    model: ClassVar[str] = gemini.MODEL

    @pytest.fixture(autouse=True)
    def served(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        self.environment = monkeypatch
        with GeminiServer() as server:
            monkeypatch.setenv("GEMINI_API_KEY", RIGHT_KEY)
            monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
            yield

    def open_model(self) -> ChatModel:
        return gemini_chat.open_model(self.model, Settings())

    def open_unreachable(self) -> ChatModel:
        self.environment.setenv("GOOGLE_GEMINI_BASE_URL", nobody())
        return self.open_model()

    def open_with_wrong_key(self) -> ChatModel:
        self.environment.setenv("GEMINI_API_KEY", WRONG_KEY)
        return self.open_model()


class TestOlderGemini(TestGemini):
    """Calls have neither an id nor a signature."""

    model = gemini.OLDER_MODEL


class TestLangServe(ChatModelConformance):
    lacks = frozenset({Ability.TOOLS, Ability.TOOL_CHOICE, Ability.LENGTH})
    path: ClassVar[str] = "/chat"

    @pytest.fixture(autouse=True)
    def served(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        self.environment = monkeypatch
        with LangServeServer() as self.server:
            self.server.key = RIGHT_KEY
            monkeypatch.setenv(HTTP_KEY_VARIABLE, RIGHT_KEY)
            yield

    def open_model(self) -> ChatModel:
        return langserve.open_model(f"{self.server.url}{self.path}", Settings())

    def open_unreachable(self) -> ChatModel:
        return langserve.open_model(f"{nobody()}{self.path}", Settings())

    def open_with_wrong_key(self) -> ChatModel:
        self.environment.setenv(HTTP_KEY_VARIABLE, WRONG_KEY)
        return self.open_model()


class TestLangServeThatCannotStream(TestLangServe):
    lacks = TestLangServe.lacks | {Ability.STREAMING, Ability.USAGE}
    path = "/invoked"


class TestLangServeByLines(TestLangServe):
    lacks = TestLangServe.lacks | {Ability.USAGE}
    path = "/lines"


class TestGeminiEmbedder(EmbedderConformance):
    model: ClassVar[str] = "gemini-embedding-001"

    @pytest.fixture(autouse=True)
    def served(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        with GeminiServer() as server:
            monkeypatch.setenv("GEMINI_API_KEY", RIGHT_KEY)
            monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
            yield

    def open_embedder(self) -> Embedder:
        return gemini_embedder.open_embedder(self.model, Settings())


class TestGeminiEmbedderOfTheSecondGeneration(TestGeminiEmbedder):
    model = "gemini-embedding-2"
