"""How far a tenant's vectors are, and which documents could not get any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Vectors:
    """How many of a tenant's chunks have vectors, and how many of these a run made.

    ``failed`` says why by document; ``stopped`` why the embedder could not go on at all. While
    others are at it, nothing is made here.
    """

    chunks: int = 0
    left: int = 0
    made: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    stopped: str = ""
    is_elsewhere: bool = False

    @property
    def done(self) -> int:
        """How many chunks have vectors."""
        return self.chunks - self.left


Tell = Callable[[Vectors], None]
"""Called from time to time with how far it is."""
