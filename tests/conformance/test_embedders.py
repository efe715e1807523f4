from unittest import SkipTest

import pytest

from sextant.llms import tiny
from sextant.llms.azure import embedder as azure_embedder
from sextant.llms.bge_small import embedder as bge_small
from sextant.llms.compatible import embedder as http_embedder
from sextant.llms.minilm import embedder as minilm
from sextant.llms.openai import embedder as openai_embedder
from sextant.ports import Embedder
from sextant.settings import Settings
from sextant.testing.embedders import EmbedderConformance
from sextant.testing.store_suite.pieces import Deaf, Lengths


class TestMiniLM(EmbedderConformance):
    def open_embedder(self) -> Embedder:
        return minilm.open_embedder("", Settings())


class TestBgeFast(EmbedderConformance):
    def open_embedder(self) -> Embedder:
        return bge_small.open_fast("", Settings())


class TestBge(EmbedderConformance):
    def open_embedder(self) -> Embedder:
        return bge_small.open_whole("", Settings())


class TestTiny(EmbedderConformance):
    def open_embedder(self) -> Embedder:
        return tiny.open_embedder("", Settings())


class TestWideTiny(EmbedderConformance):
    def open_embedder(self) -> Embedder:
        return tiny.open_embedder("4096", Settings())


class TestOpenAI(EmbedderConformance):
    @pytest.fixture(autouse=True)
    def _peer(self, vectors: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{vectors}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "any-key-will-do")

    def open_embedder(self) -> Embedder:
        return openai_embedder.open_embedder("text-embedding-3-small#256", Settings())


class TestAzure(EmbedderConformance):
    @pytest.fixture(autouse=True)
    def _peer(self, vectors: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", vectors)
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", "any-key-will-do")

    def open_embedder(self) -> Embedder:
        return azure_embedder.open_embedder("my-deployment#128", Settings())


class TestAnyServer(EmbedderConformance):
    @pytest.fixture(autouse=True)
    def _peer(self, vectors: str) -> None:
        self.rest = f"{vectors.removeprefix('http:')}/v1#words"

    def open_embedder(self) -> Embedder:
        return http_embedder.open_embedder(self.rest, Settings())


class Unread(EmbedderConformance):
    def open_embedder(self) -> Embedder:
        return Deaf()


class Unasked(EmbedderConformance):
    def open_embedder(self) -> Embedder:
        return Lengths()


@pytest.mark.parametrize(
    ("suite", "promises"),
    [(Unread, ["piece", "span", "odds"]), (Unasked, ["odds"])],
)
def test_what_an_embedder_does_not_tell_is_said_not_to_be_checked(
    suite: type[EmbedderConformance], promises: list[str]
) -> None:
    tests = [name for name in dir(suite) if any(one in name for one in promises)]
    for name in (name for name in tests if name.startswith("test_")):
        with pytest.raises(SkipTest, match=r"^Not checked: this embedder .*pieces?.*\.$"):
            getattr(suite(), name)()
