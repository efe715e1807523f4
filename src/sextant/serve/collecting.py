"""How seldom the garbage collector comes to a process that works for long. Knows no work."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 20_000


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Let the garbage collector come seldom, and leave alone what is open by now.

    A request or a document makes some thousand objects and few circles of them. What is garbage by
    now is left alone, too: to look for it takes longer than the little of it is worth.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
