"""Where the doors keep what is theirs: keys, jobs and the audit log. Knows none of them."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from sextant.errors import ConfigError
from sextant.settings import Settings

_OWNER_ONLY = 0o700


def lasting_folder(settings: Settings) -> Path | None:
    """Return the folder that outlives this process, if there is one; nothing is made."""
    scheme, _, rest = settings.store.partition(":")
    beside = f"{rest}.serve" if scheme == "sqlite" and rest else ""
    chosen = settings.serve.folder or beside
    return Path(chosen).expanduser() if chosen else None


def server_folder(settings: Settings) -> Path:
    """Return the folder, which is made if need be; a store in memory has one until the end."""
    folder = lasting_folder(settings)
    if folder is None:
        return _passing_folder(settings)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=_OWNER_ONLY, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"The server's folder cannot be made: {error.strerror}.",
            "Let serve.folder name one that can be written to.",
        ) from None
    return folder


@cache
def _passing_folder(settings: Settings) -> Path:  # noqa: ARG001 - one folder for each settings
    folder = tempfile.mkdtemp(prefix="sextant-serve-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
