"""Conformance suites: a store, embedder, chat model or place for server records passes these.

Subclass one in a pytest file and say how to open yours; every test is a promise of the ports.
"""

from sextant.testing.chat_model_suite.suite import Ability, ChatModelConformance
from sextant.testing.embedders import EmbedderConformance
from sextant.testing.server_records import ServerRecordsConformance
from sextant.testing.store_suite.suite import IDENTITY, StoreConformance

__all__ = [
    "IDENTITY",
    "Ability",
    "ChatModelConformance",
    "EmbedderConformance",
    "ServerRecordsConformance",
    "StoreConformance",
]
