"""Whatever a file is like, it is read or refused for a reason, and the server stays well."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.files import make_file, send_files
from tests.fuzz.serving import serving
from tests.ingest.read.shapes import PATHS

CASES = 4 * len(PATHS)


def test_hostile_files_of_every_format_are_read_or_refused_for_a_reason(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        outcome = send_files(server, CASES)
        assert outcome.failures == []
        assert outcome.cases == CASES
        assert {label for label, seen in outcome.statuses.items() if seen["read"]} == set(PATHS)
        assert server.log == ""


def test_a_seed_makes_the_same_files_again() -> None:
    assert [make_file(3, at) for at in range(32)] == [make_file(3, at) for at in range(32)]
