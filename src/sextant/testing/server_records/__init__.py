"""A place for server records is done when it passes this suite."""

from sextant.testing.server_records.suite import ServerRecordsConformance

__all__ = ["ServerRecordsConformance"]
