"""Conformance suites: a store, embedder or chat model is done when it passes these.

Subclass one in a pytest file and say how to open yours; every test is a promise of the ports.
"""

from sextant.testing.chat_models import Ability, ChatModelConformance
from sextant.testing.embedders import EmbedderConformance
from sextant.testing.stores import IDENTITY, StoreConformance

__all__ = [
    "IDENTITY",
    "Ability",
    "ChatModelConformance",
    "EmbedderConformance",
    "StoreConformance",
]
