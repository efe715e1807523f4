"""What must hold of every reading, whatever the format."""

from sextant.errors import SextantError
from sextant.ingest.read import read
from sextant.ingest.shaping.split import split
from sextant.ingest.values import Kind, Reading
from sextant.text.prose.units import units_of
from sextant.types import Document, Passage


def check_sound(reading: Reading, start: int | None = 0) -> None:
    """Check spans; from a place on, everything that is not blank must lie in a block."""
    text, at = reading.text, 0
    for block in reading.blocks:
        assert at <= block.start < block.end <= len(text)
        shown = text[block.start : block.end]
        assert shown == shown.strip()
        assert all(block.start < cut < block.end for cut in block.cuts)
        assert list(block.cuts) == sorted(set(block.cuts))
        if block.kind is Kind.HEADING:
            assert block.name
            assert block.level >= 1
            assert block.name == " ".join(block.name.split())
        if start is not None:
            assert not text[max(at, start) : block.start].strip()
        at = block.end
    if start is not None:
        assert not text[max(at, start) :].strip()
    assert all(0 <= link.at <= len(text) for link in reading.links)
    storable(text)
    storable(reading.title)


def storable(text: str) -> None:
    """Check that a store takes the text."""
    text.encode()
    assert "\0" not in text


def read_soundly(path: str, data: bytes, start: int | None = 0) -> list[Reading]:
    """Read; an error must be one that was meant, and every reading sound."""
    try:
        readings = read(path, data)
    except SextantError as error:
        if error.__cause__ is not None:
            raise AssertionError("a reader stumbled") from error
        return []
    for reading in readings:
        check_sound(reading, start)
    parts = [reading.part for reading in readings]
    assert len(set(parts)) == len(parts)
    return readings


def read_one(path: str, data: str | bytes) -> Reading:
    """Read what must be one document."""
    (reading,) = read(path, data.encode() if isinstance(data, str) else data)
    check_sound(reading, None)
    return reading


def shown(reading: Reading) -> list[tuple[str, str]]:
    """Return the kinds and texts of the blocks."""
    return [(block.kind.value, reading.text[block.start : block.end]) for block in reading.blocks]


def headings(reading: Reading) -> list[tuple[int, str]]:
    """Return the levels and names of the headings."""
    return [(block.level, block.name) for block in reading.blocks if block.kind is Kind.HEADING]


def chunks(path: str, data: str | bytes) -> list[Passage]:
    """Return the passages that a file becomes."""
    reading = read_one(path, data)
    document = Document("d", reading.title, metadata={"sextant:format": reading.source_type})
    return [Passage(chunk, document, "v1") for chunk in split(reading, "d", 800)]


def pieces(path: str, data: str | bytes) -> list[str]:
    """Return what is read of a file in the end, piece by piece."""
    return [unit.text for passage in chunks(path, data) for unit in units_of(passage)]
