"""What every store says when it refuses something that only a store can know."""

from __future__ import annotations

from sextant.errors import (
    CommitUnknown,
    Conflict,
    EmbedderMismatch,
    InvalidInput,
    InvalidVector,
    NotFound,
    Outdated,
)
from sextant.types import EmbedderIdentity


def chunk_taken() -> Conflict:
    """A chunk id is not free."""
    return Conflict(
        "A chunk id of this document belongs to another document already.",
        "Make chunk ids start with the id of their document, as in doc1#c12.",
    )


def document_moved_on() -> Outdated:
    """The version that was to be replaced or removed is not the one that is there."""
    return Outdated(
        "The document is not the version that was read.",
        "Read it again and apply the change to what is there now.",
    )


def thread_moved_on(known: int, expected: int) -> Conflict:
    """Somebody saved the thread, or appended to it, since it was loaded."""
    return Conflict(
        f"The thread was changed by somebody else: it is at version {known}, not {expected}.",
        "Load it again and apply the change to what is there now.",
    )


def cursor_unknown() -> InvalidInput:
    """A page was asked for after what this store never gave as a cursor."""
    return InvalidInput("Unknown cursor.", "Start again without one.")


def commit_unknown(commit: int, asked: int) -> CommitUnknown:
    """A commit was asked for that was not made here."""
    return CommitUnknown(
        f"The store is at commit {commit}; {asked} was asked for.",
        "Ask for a commit number that a write of this store returned.",
    )


def no_vectors() -> InvalidVector:
    """A vector was asked for where there are none."""
    return InvalidVector("This store has no embedder, so it has no vectors.", "Search by text.")


def embedder_mismatch(recorded: EmbedderIdentity, own: EmbedderIdentity) -> EmbedderMismatch:
    """The vectors that are there were made by another embedder."""
    scheme = recorded.name.partition(":")[0]
    kept = (
        f', or set embedder = "{scheme}:" to keep them (`sextant config` says where it is set)'
        if not own.name.startswith(f"{scheme}:")
        else ""
    )
    return EmbedderMismatch(
        f"The vectors in this store were made by {recorded.name} ({recorded.width} wide), "
        f"not by {own.name} ({own.width} wide).",
        f"Run `sextant rebuild` to make them anew{kept}.",
    )


def tool_unknown(tool: str) -> NotFound:
    """A tool was asked for that does not exist for the scope."""
    return NotFound(f"There is no tool {tool[:80]!r}.", "List the tools, or import it first.")
