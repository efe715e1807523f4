"""What every store says when it refuses something that only a store can know."""

from __future__ import annotations

from sextant.errors import CommitUnknown, Conflict, InvalidVector, Outdated
from sextant.types import Thread


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


def thread_moved_on(known: Thread, thread: Thread) -> Conflict:
    """Somebody saved the thread since it was loaded."""
    return Conflict(
        f"The thread was saved by somebody else: it is at version {known.version}, "
        f"not {thread.version}.",
        "Load it again and apply the change to what is there now.",
    )


def commit_unknown(commit: int, asked: int) -> CommitUnknown:
    """A commit was asked for that was not made here."""
    return CommitUnknown(
        f"The store is at commit {commit}; {asked} was asked for.",
        "Ask for a commit number that a write of this store returned.",
    )


def no_vectors() -> InvalidVector:
    """A vector was asked for where there are none."""
    return InvalidVector("This store has no embedder, so it has no vectors.", "Search by text.")
