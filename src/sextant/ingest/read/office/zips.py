"""What must hold of a zipped office file before a parser may see it."""

from __future__ import annotations

import io
import re
import zipfile

from sextant.errors import BrokenFile, MissingExtra, TooMuch
from sextant.ingest.read.limits import ReadLimits, at_most

_SMALL = 10_000_000
_DECLARED = re.compile(
    rb"<!(?:DOCTYPE|ENTITY)|<\0!\0(?:D\0O\0C\0T\0Y\0P\0E|E\0N\0T\0I\0T\0Y)"
    rb"|\0<\0!\0(?:D\0O\0C\0T\0Y\0P\0E|E\0N\0T\0I\0T\0Y)"
)


def refuse_unsafe_zip(data: bytes, limits: ReadLimits) -> None:
    """Refuse archives that would unpack to too much, and XML that declares entities."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _refuse_size(archive, len(data), limits)
            for member in archive.infolist():
                if member.filename.lower().endswith((".xml", ".rels", ".vml")):
                    _refuse_entities(archive, member)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError, ValueError, RuntimeError):
        raise BrokenFile("Its archive is damaged or encrypted.", "Save it again.") from None
    except zipfile.zlib.error:  # type: ignore[attr-defined]
        raise BrokenFile("Its archive is damaged.", "Save it again.") from None


def missing_office(package: str) -> MissingExtra:
    """Return the error for a package that office files need and that is not installed."""
    return MissingExtra(
        f"Reading this file needs {package}.", 'Install it with: pip install "sextant[office]"'
    )


def _refuse_size(archive: zipfile.ZipFile, packed: int, limits: ReadLimits) -> None:
    members = archive.infolist()
    at_most(limits.members, len(members), "members")
    # zipfile reads no more of a member than its size says, so that lying does not help.
    total = sum(member.file_size for member in members)
    at_most(limits.unpacked, total, "bytes when unpacked")
    if total > _SMALL and total > packed * limits.ratio:
        raise TooMuch(f"It unpacks to {total // packed} times its size.", "Leave it out.")


def _refuse_entities(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    if _DECLARED.search(archive.read(member)):
        raise BrokenFile("Its XML declares entities, as office files never do.", "Leave it out.")
