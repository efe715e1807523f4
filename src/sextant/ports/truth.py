"""The truth: units of work, whole and by number. Everything else can be made from it anew."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sextant.types import (
        Change,
        Changed,
        Counts,
        Definition,
        Document,
        Passage,
        Put,
        Receipt,
        Scope,
        StoreAbility,
        Unembedded,
    )


class Writer(Protocol):
    """The only way in for knowledge."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Make all changes durable, or none of them, under one commit number.

        A commit number is higher than all before it in its tenant and less than 2**53, since
        clients read it from JSON; numbers may be left out. The receipt also names the commit that
        the changes were applied to. What changes nothing, such as an empty batch, makes no commit,
        and no tenant.
        """

    async def commit(self, scope: Scope) -> int:
        """Return the number of the tenant's last commit, without delay; 0 before the first."""


class PassageReader(Protocol):
    """Passages by id, as far as the scope sees."""

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        """Return those that exist."""


class DocumentReader(PassageReader, Protocol):
    """Documents and passages, as far as the scope sees."""

    async def documents(
        self, scope: Scope, after: str = "", limit: int = 100
    ) -> Sequence[Document]:
        """List documents by id, from the first one after the given id."""

    async def chunk_ids(
        self, scope: Scope, document_ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return the chunk ids of each document that exists, in reading order."""

    async def counts(self, scope: Scope) -> Counts:
        """Count what there is."""


class UnitReader(Protocol):
    """What it takes to write documents again when others change."""

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        """Return those that exist, each as it could be written again."""

    async def definitions(
        self,
        scope: Scope,
        after: str = "",
        limit: int = 1000,
        unless: Mapping[str, frozenset[str]] | None = None,
    ) -> Sequence[Definition]:
        """Return what each document says of the next entities by id.

        The limit counts entities; the page after this one starts after its last id. Left out are
        definitions whose metadata have one of these values.
        """


class UnembeddedReader(Protocol):
    """What is still to be embedded."""

    async def unembedded(
        self, scope: Scope, limit: int = 100, but: Collection[str] = ()
    ) -> Sequence[Unembedded]:
        """Return documents with chunks and without vectors, whoever may see them.

        Those written last come first; those of the given ids are left out.
        """


class Truth(Writer, DocumentReader, UnitReader, UnembeddedReader, Protocol):
    """All that is known, as it was written."""

    @property
    def abilities(self) -> frozenset[StoreAbility]:
        """What is promised of that which engines differ in."""

    async def changed(self, scope: Scope, since: int) -> Changed:
        """Say what changed after a commit, whoever may see it; of each document the last change.

        For whoever keeps an index elsewhere. Vectors that were made anew are a change, too.
        """
