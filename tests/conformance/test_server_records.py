"""The server records that ship with Sextant keep every promise of the ports."""

from pathlib import Path
from unittest import SkipTest

import pytest

from sextant.server_ports import ServerRecords
from sextant.stores.server_records import memory, sqlite
from sextant.testing.server_records import ServerRecordsConformance


class TestSqliteRecords(ServerRecordsConformance):
    async def open_records(self, folder: Path) -> ServerRecords:
        return await sqlite.open_records("", folder)


class TestRecordsInMemory(ServerRecordsConformance):
    lasts = False
    shares = False

    async def open_records(self, folder: Path) -> ServerRecords:
        return await memory.open_records("", folder)


def test_what_no_records_in_memory_can_do_is_said_not_to_be_checked(tmp_path: Path) -> None:
    for test in (
        TestRecordsInMemory().test_jobs_last,
        TestRecordsInMemory().test_two_servers_know_of_each_other,
    ):
        with pytest.raises(SkipTest, match=r"^Not checked: "):
            test(tmp_path)
