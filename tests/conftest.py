"""Fixtures that tests of several rooms share."""

from tests.peers.fixtures import aimock, node22, smollm, smollm_server, smollm_vectors, vectors

__all__ = ["aimock", "node22", "smollm", "smollm_server", "smollm_vectors", "vectors"]
