from sextant.llms import minilm, tiny
from sextant.ports import Embedder
from sextant.settings import Settings
from sextant.testing.embedders import EmbedderConformance


class TestMiniLM(EmbedderConformance):
    def open_embedder(self) -> Embedder:
        return minilm.open_embedder("", Settings())


class TestTiny(EmbedderConformance):
    def open_embedder(self) -> Embedder:
        return tiny.open_embedder("", Settings())


class TestWideTiny(EmbedderConformance):
    def open_embedder(self) -> Embedder:
        return tiny.open_embedder("4096", Settings())
