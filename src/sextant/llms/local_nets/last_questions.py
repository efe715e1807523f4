"""The vectors of the questions that were embedded last, so that their odds cost no second pass."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_MOST = 256
"""Those of some thirty asks at once, at eight queries each; the vectors take 400 kB."""


class LastQuestions:
    """Remembers a vector for each of the last texts, by their digests. Any thread may ask."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._vectors: OrderedDict[bytes, Floats] = OrderedDict()
        self._changing = Lock()

    def remember(self, texts: Sequence[str], vectors: Floats) -> None:
        """Keep the rows of these texts, and let go of what was not asked for the longest."""
        rows = zip(map(_digest, texts), vectors, strict=True)
        with self._changing:
            for key, row in rows:
                self._vectors[key] = row.copy()
                self._vectors.move_to_end(key)
                if len(self._vectors) > self._most:
                    self._vectors.popitem(last=False)

    def vector(self, text: str) -> Floats | None:
        """Return the vector of a text, unless it was let go of."""
        key = _digest(text)
        with self._changing:
            if key in self._vectors:
                self._vectors.move_to_end(key)
            return self._vectors.get(key)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
