"""What can be set of knowledge in Azure: Cosmos DB and AI Search. Knows no room."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AzureSettings:
    """Where the knowledge is, what its parts are called there, and how long a call may take.

    There is no key here: who we are is a managed identity, or whoever is signed in. Read-only is
    for containers that somebody else fills. A writer that stops renewing its turn for the lease
    seconds loses it to the next one. What other processes wrote is seen after the fresh seconds at
    the latest; with 0, at once, for a call more. The lag is how long is waited for AI Search to
    show what it took in.
    """

    cosmos_endpoint: str = ""
    database: str = "graphrag"
    entities_container: str = "entities"
    relations_container: str = "relations"
    chunks_container: str = "chunks"
    records_container: str = "records"
    search_endpoint: str = ""
    search_index: str = "chunks"
    lag_seconds: float = 10.0
    read_only: bool = False
    call_seconds: float = 10.0
    retries: int = 4
    retry_seconds: float = 30.0
    fresh_seconds: float = 1.0
    lease_seconds: float = 60.0
    wait_seconds: float = 30.0
    concurrency: int = 16
