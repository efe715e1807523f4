"""The icons of the app: a sextant's frame, drawn here, and what Teams asks of a picture.

Knows how PNG is written and where it says its size (RFC 2083); knows no manifest.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from sextant.errors import InvalidInput
from sextant.serve.m365.package.app import ACCENT

COLOR_SIZE, OUTLINE_SIZE = 192, 32
"""Pixels, as the schema of the app's manifest asks for."""
_HEAD = b"\x89PNG\r\n\x1a\n"
_SAMPLES = 4
"""Points along each side of a pixel, so that edges are smooth."""
_APEX, _RADIUS, _SPREAD = (0.5, 0.17), 0.63, np.pi / 6
_LIMB, _ARM, _INDEX = 0.055, 0.032, 0.026
_MOST_BYTES = 1_000_000

Plane = NDArray[np.float64]


def color_icon() -> bytes:
    """Return the icon in colour: a white frame on the accent's ground."""
    ground = [int(ACCENT[at : at + 2], 16) for at in (1, 3, 5)]
    ink = _coverage(COLOR_SIZE)[..., None]
    colours = np.rint(np.array(ground) * (1 - ink) + 255 * ink)
    opaque = np.full((COLOR_SIZE, COLOR_SIZE, 1), 255.0)
    return _png(np.concatenate([colours, opaque], axis=2))


def outline_icon() -> bytes:
    """Return the outline: white on nothing."""
    ink = np.rint(_coverage(OUTLINE_SIZE) * 255)[..., None]
    return _png(np.concatenate([np.full((OUTLINE_SIZE, OUTLINE_SIZE, 3), 255.0), ink], axis=2))


def check_icon(field: str, picture: bytes, size: int) -> None:
    """Refuse a picture that Teams would not take, by the name of its field."""
    if not picture.startswith(_HEAD) or picture[12:16] != b"IHDR" or len(picture) < 26:
        raise InvalidInput(f"{field} is not a PNG picture.", f"Give one of {size}x{size} pixels.")
    wide, high = struct.unpack(">II", picture[16:24])
    if (wide, high) != (size, size):
        raise InvalidInput(
            f"{field} has {wide}x{high} pixels.", f"Give a PNG picture of {size}x{size}."
        )
    if len(picture) > _MOST_BYTES:
        raise InvalidInput(f"{field} is larger than {_MOST_BYTES:,} bytes.", "Make it smaller.")


def _coverage(size: int) -> Plane:
    """Return how much of each pixel the frame of a sextant covers: limb, two arms, index arm."""
    points = (np.arange(size * _SAMPLES) + 0.5) / (size * _SAMPLES)
    x, y = np.meshgrid(points - _APEX[0], points - _APEX[1])
    away, angle = np.hypot(x, y), np.arctan2(x, y)
    within = (away <= _RADIUS) & (np.abs(angle) <= _SPREAD)
    limb = (np.abs(away - _RADIUS) <= _LIMB) & (np.abs(angle) <= _SPREAD)
    arms = within & (away * np.abs(np.sin(_SPREAD - np.abs(angle))) <= _ARM)
    index = (away <= _RADIUS + 0.09) & (away * np.abs(np.sin(angle - _SPREAD / 3)) <= _INDEX)
    apex = away <= 0.07
    drawn = limb | arms | (index & (y >= 0)) | apex
    shares: Plane = drawn.reshape(size, _SAMPLES, size, _SAMPLES).mean(axis=(1, 3))
    return shares


def _png(pixels: Plane) -> bytes:
    high, wide, _ = pixels.shape
    rows = pixels.astype(np.uint8)
    raw = b"".join(b"\x00" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", wide, high, 8, 6, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    return _HEAD + b"".join(_part(kind, body) for kind, body in parts)


def _part(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
