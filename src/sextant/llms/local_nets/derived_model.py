"""A derived graph is kept in the user's cache folder, since deriving it costs more than running it.

Knows files, no model. What cannot be read, or is not whole, is derived anew; where nothing can be
written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path

_FOLDER_VARIABLE = "XDG_CACHE_HOME"
_FORMAT = files(__package__) / "onnx_format.py"
"""Writes every graph, so it is a source of each."""

_CHECKSUM = 4


def kept_or_derived(name: str, sources: Sequence[bytes], derive: Callable[[], bytes]) -> bytes:
    """Return the model that was derived from these sources before, or derive and keep it."""
    path = _path(name, [*sources, _FORMAT.read_bytes()])
    if path and (kept := _read(path)):
        return kept
    derived = derive()
    if path:
        _keep(path, derived)
    return derived


def _path(name: str, sources: Sequence[bytes]) -> Path | None:
    """Return where it is kept: the name says all that it was made of."""
    try:
        folder = _folder()
    except RuntimeError:  # nobody's home
        return None
    made_of = hashlib.sha256(b"".join(hashlib.sha256(one).digest() for one in sources))
    return folder / "sextant" / f"{name}-{made_of.hexdigest()[:32]}"


def _folder() -> Path:
    """Return the user's cache folder; a relative one does not count, as its rules have it."""
    named = Path(os.environ.get(_FOLDER_VARIABLE, ""))
    return named if named.is_absolute() else Path.home() / ".cache"


def _read(path: Path) -> bytes:
    """Return the model if it is whole."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        checksum, model = file.read(_CHECKSUM), file.read()
        if _checksum(model) == checksum:
            return model
    return b""


def _keep(path: Path, model: bytes) -> None:
    """Put it in its place at once, so that nobody reads half of it."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            try:
                file.write(_checksum(model) + model)
                file.flush()
                Path(file.name).replace(path)
            except OSError:
                Path(file.name).unlink()
                raise


def _checksum(model: bytes) -> bytes:
    # Against damage, not against malice: whoever writes the model writes this, too. A digest of
    # 34 MB takes 100 ms where the processor has no instructions for it, and this takes 11.
    return zlib.crc32(model).to_bytes(_CHECKSUM)
