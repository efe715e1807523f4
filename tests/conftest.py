"""Fixtures that tests of several rooms share, and properties without a clock."""

from hypothesis import settings

from tests.peers.fixtures import aimock, node22, smollm, smollm_server, smollm_vectors, vectors
from tests.rights import open_path

__all__ = ["aimock", "node22", "open_path", "smollm", "smollm_server", "smollm_vectors", "vectors"]

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
