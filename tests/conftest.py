"""Fixtures that tests of several rooms share."""

from tests.peers.fixtures import aimock, smollm, smollm_server, smollm_vectors, vectors

__all__ = ["aimock", "smollm", "smollm_server", "smollm_vectors", "vectors"]
