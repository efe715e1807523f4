"""Every chat model of ours against the suite, and against peers that nobody here wrote."""

from typing import ClassVar

import pytest

from sextant.llms.azure import chat as azure_chat
from sextant.llms.compatible import chat as http_chat
from sextant.llms.compatible import local as local_chat
from sextant.llms.openai import chat as openai_chat
from sextant.llms.openai import responses as openai_responses
from sextant.ports import ChatModel
from sextant.settings import Settings
from sextant.testing import Ability, ChatModelConformance
from sextant.testing.chat_model_suite.prompts import WRONG_KEY
from tests.peers.fixtures import Aimock

NOBODY = "http://127.0.0.1:9"
"""The port of a service that throws everything away, and that nothing runs any more."""


class TestOpenAI(ChatModelConformance):
    @pytest.fixture(autouse=True)
    def _peer(self, aimock: Aimock, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch
        monkeypatch.setenv("OPENAI_BASE_URL", f"{aimock.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", aimock.key)

    def open_model(self) -> ChatModel:
        return openai_chat.open_model("gpt-5-mini", Settings())

    def open_unreachable(self) -> ChatModel:
        self.monkeypatch.setenv("OPENAI_BASE_URL", f"{NOBODY}/v1")
        return self.open_model()

    def open_with_wrong_key(self) -> ChatModel:
        self.monkeypatch.setenv("OPENAI_API_KEY", WRONG_KEY)
        return self.open_model()


class TestOpenAIResponses(TestOpenAI):
    lacks: ClassVar[frozenset[Ability]] = frozenset({Ability.STOP})

    def open_model(self) -> ChatModel:
        return openai_responses.open_model("gpt-5-mini", Settings())


class TestAzure(ChatModelConformance):
    @pytest.fixture(autouse=True)
    def _peer(self, aimock: Aimock, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", aimock.url)
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", aimock.key)

    def open_model(self) -> ChatModel:
        return azure_chat.open_model("my-deployment", Settings())

    def open_unreachable(self) -> ChatModel:
        self.monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", NOBODY)
        return self.open_model()

    def open_with_wrong_key(self) -> ChatModel:
        self.monkeypatch.setenv("AZURE_OPENAI_API_KEY", WRONG_KEY)
        return self.open_model()


class TestAnyServer(ChatModelConformance):
    @pytest.fixture(autouse=True)
    def _peer(self, aimock: Aimock, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch, self.rest = monkeypatch, f"{aimock.url.removeprefix('http:')}/v1#any"
        monkeypatch.setenv("SEXTANT_HTTP_KEY", aimock.key)

    def open_model(self) -> ChatModel:
        return http_chat.open_model(self.rest, Settings())

    def open_unreachable(self) -> ChatModel:
        return http_chat.open_model(f"{NOBODY.removeprefix('http:')}/v1#any", Settings())

    def open_with_wrong_key(self) -> ChatModel:
        self.monkeypatch.setenv("SEXTANT_HTTP_KEY", WRONG_KEY)
        return self.open_model()


SMALL = frozenset({Ability.TOOLS, Ability.TOOL_CHOICE})
"""What a model of 135 million parameters cannot be brought to do."""


class TestRealModelOverHttp(ChatModelConformance):
    lacks: ClassVar[frozenset[Ability]] = SMALL
    tokens: ClassVar[int] = 24

    @pytest.fixture(autouse=True)
    def _peer(self, smollm: str) -> None:
        self.rest = f"{smollm.removeprefix('http:')}/v1"

    def open_model(self) -> ChatModel:
        return http_chat.open_model(self.rest, Settings())


@pytest.mark.usefixtures("smollm_server")
class TestLocal(ChatModelConformance):
    lacks: ClassVar[frozenset[Ability]] = SMALL
    tokens: ClassVar[int] = 10

    def open_model(self) -> ChatModel:
        return local_chat.open_model("", Settings())
