"""How many files the open tenants of a store may hold, and what is said when there are no more."""

from __future__ import annotations

import errno
import os

from sextant.errors import StoreBusy

_SHARE = 2
"""Tenants get half of what the process may open; the rest is for connections and other files."""
_NEEDED = 16
"""Twice what a tenant opens at first: what it had opened before it failed is closed by then."""
_UNKNOWN = 1_024
"""What most systems allow a process, where the system does not say."""


def descriptor_budget(chosen: int) -> int:
    """Return how many files tenants may hold open: as chosen, or a share of the system's limit."""
    return chosen or descriptor_limit() // _SHARE


def descriptor_limit() -> int:
    """Return how many files this process may hold open."""
    try:
        import resource
    except ImportError:  # not on Windows
        return _UNKNOWN
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _UNKNOWN if soft == resource.RLIM_INFINITY else soft


def are_used_up(error: OSError | None = None) -> bool:
    """Whether something failed because no more files can be opened; SQLite itself does not say."""
    if error is not None:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    opened: list[int] = []
    try:
        while len(opened) < _NEEDED:
            opened.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as tried:
        return are_used_up(tried)
    finally:
        for one in opened:
            os.close(one)
    return False


def too_many_files() -> StoreBusy:
    """Return what is said where no more files can be opened."""
    return StoreBusy(
        f"This process may hold {descriptor_limit():,} files open (the limit NOFILE of the "
        "system), and has no more left for the store.",
        "Raise it with `ulimit -n` or LimitNOFILE, or lower sqlite.descriptors or "
        "serve.connections.",
    )
