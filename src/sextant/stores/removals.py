"""How long a truth remembers which documents were removed, for indexes that follow it.

Who follows drops what was removed since the commit that it holds. A truth that remembered every
removal would grow for ever; one that forgets says up to which commit it did, and who holds an older
one is filled anew. Knows no engine.
"""

from __future__ import annotations

LEAST = 10_000
"""So many are always remembered: about a megabyte, and more than follow each other in an outage."""


def most_removals(documents: int) -> int:
    """Return how many removals to remember beside so many documents.

    Who missed more removals than there are documents has less to do if it is filled anew.
    """
    return max(LEAST, documents)
