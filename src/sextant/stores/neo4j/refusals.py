"""What becomes of the errors of the driver: they say nothing of where the database is."""

from __future__ import annotations

from neo4j import exceptions

from sextant.errors import (
    ConfigError,
    FormatMismatch,
    NotAStore,
    PeerRefused,
    PeerUnreachable,
    SextantError,
    StoreError,
)

_RUNS = "Check that the Neo4j of toolbox.graph runs; everything but the tools works without it."
_OTHERS = "Give Sextant a database of its own and name it in neo4j.database."
_WAITS = (
    exceptions.TransientError,
    exceptions.DriverError,
    TimeoutError,
    OSError,
)
_TIMED_OUT = "Neo.ClientError.Transaction.TransactionTimedOut"
_NO_DATABASE = "Neo.ClientError.Database.DatabaseNotFound"
_SECURITY = "Neo.ClientError.Security."
_SCHEMA = "Neo.ClientError.Schema."


def translate(error: Exception) -> SextantError:
    """Return what an error of the driver, or of the network, means to a caller."""
    if isinstance(error, exceptions.ConfigurationError):
        return ConfigError(
            "The Neo4j of toolbox.graph cannot be spoken to.",
            "Check its scheme: neo4j+s: and bolt+s: need TLS, neo4j: and bolt: do without.",
        )
    if isinstance(error, exceptions.IncompleteCommit):
        return PeerUnreachable(
            "The tool graph broke off while it was written to; it may have been written.",
            "Write the same again: nothing is counted twice under one id.",
        )
    if isinstance(error, _WAITS):
        slow = isinstance(error, TimeoutError)
        what = "did not answer in time" if slow else "cannot be reached"
        return PeerUnreachable(f"The tool graph {what}.", _RUNS)
    return _refusal(getattr(error, "code", None) or "")


def _refusal(code: str) -> SextantError:
    """Return what the database means that answers, and refuses."""
    if code.startswith(_TIMED_OUT):
        return PeerUnreachable("The tool graph did not answer in time.", _RUNS)
    if code.startswith(_SECURITY):
        return PeerRefused(
            "The tool graph does not let us in.",
            "Check neo4j.user, SEXTANT_NEO4J_PASSWORD, and what that user may do.",
        )
    if code == _NO_DATABASE:
        return ConfigError("The Neo4j server has no such database.", "Check neo4j.database.")
    if code.startswith(_SCHEMA):
        return other_schema("The database has other rules for what Sextant writes.")
    return StoreError(f"Neo4j refuses: {code or 'without a reason'}.", "Its log says more.")


def other_schema(what: str) -> NotAStore:
    """The database holds something else under the names that are used here."""
    return NotAStore(what, _OTHERS)


def newer_format(found: object) -> FormatMismatch:
    """The tools were written by another version."""
    return FormatMismatch(
        f"The tools in Neo4j are of format {found}, which this version does not know.",
        "Use the version that wrote them, or a newer one.",
    )
