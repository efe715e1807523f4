"""Keys of rows in AI Search, which takes letters, digits, dashes, underscores and equal signs.

A key is its kind and its parts, each in URL-safe base64 without padding, joined by equal signs:
``chunk=YWNtZQ=ZG9jMSNjMTI=MWY`` is chunk ``doc1#c12`` of tenant ``acme`` in change ``1f``. Where
that is longer than a key may be, a digest stands for the parts; then the row alone knows them.
"""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

_LONGEST = 1_024
"""Characters of a key that AI Search takes."""
_DIGEST = "-digest"


def encode_key(kind: str, *parts: str) -> str:
    """Return the key of a row: the same for the same parts, and another for any others."""
    key = "=".join((kind, *map(_encode, parts)))
    if len(key) <= _LONGEST:
        return key
    return f"{kind}{_DIGEST}={sha256(key.encode('ascii')).hexdigest()}"


def decode_key(key: str) -> tuple[str, ...] | None:
    """Return the kind and the parts that a key was made of; None where it does not tell them."""
    kind, *parts = key.split("=")
    if kind.endswith(_DIGEST):
        return None
    try:
        decoded = tuple(map(_decode, parts))
    except ValueError:
        return None
    return (kind, *decoded) if encode_key(kind, *decoded) == key else None


def chunk_id_in(key: str) -> str:
    """Return the chunk id that somebody else's key stands for.

    Keys that are ``docId#chunkId`` in URL-safe base64 are read as that, with padding or without;
    any other key is the id itself.
    """
    try:
        text = _decode(key.rstrip("="))
    except ValueError:
        return key
    return text if "#" in text and text.isprintable() else key


def keys_of(chunk_id: str) -> list[str]:
    """Return the keys that somebody else may have given a chunk; see `chunk_id_in`."""
    encoded = _encode(chunk_id)
    padded = encoded + "=" * (-len(encoded) % 4)
    keys = [encoded, padded] if "#" in chunk_id else [chunk_id, encoded, padded]
    return list(dict.fromkeys(key for key in keys if len(key) <= _LONGEST))


def _encode(part: str) -> str:
    return urlsafe_b64encode(part.encode()).decode("ascii").rstrip("=")


def _decode(text: str) -> str:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except binascii.Error as error:
        raise ValueError("no base64") from error
