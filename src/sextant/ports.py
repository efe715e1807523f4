"""What the core asks of the outside: small, batch-only Protocols, Scope first. Knows no adapter."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sextant.query import Query
    from sextant.types import (
        Append,
        Change,
        Counts,
        Definition,
        Delta,
        Document,
        EmbedderIdentity,
        Entity,
        EntryRange,
        Facets,
        Feedback,
        Found,
        Hit,
        ModelIdentity,
        NameMatch,
        NameMode,
        Neighbourhood,
        Passage,
        Pieces,
        Prompt,
        Put,
        Reach,
        Receipt,
        Reordered,
        Rephrased,
        Retrieval,
        RetrievalRequest,
        Scope,
        StoreStatus,
        Thread,
        ThreadEntry,
        ThreadSummary,
        Walk,
        Web,
    )

Purpose = Literal["document", "query"]
Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done and how much there is."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of length 1; a text's vector never depends on its batch-mates."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes these vectors."""

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Return one row for each text."""

    async def close(self) -> None:
        """Let go of the model; whoever asks a closed embedder gets an EmbedderError."""


@runtime_checkable
class PieceEmbedder(Embedder, Protocol):
    """An embedder that also says what parts of a text are about, in the same pass.

    Who reads a sentence where it stands knows more of it than who reads it alone.
    """

    async def embed_pieces(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> tuple[NDArray[np.float32], Sequence[NDArray[np.int8]]]:
        """Return the rows that embed gives for documents, and of each text one row for each span.

        What a span is about is in bytes, without a length; zeros where nothing of it was read.
        """


@runtime_checkable
class DiscerningEmbedder(PieceEmbedder, Protocol):
    """One that can also tell which piece of a text a question asks for, not only what is near."""

    def log_odds(
        self, question: NDArray[np.float32], codes: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        """Return for each piece the natural log odds that a question with this vector asks for it.

        They are fitted to questions: 0 is as likely as not. No piece has less than one of zeros.
        """


@runtime_checkable
class ChatModel(Protocol):
    """A language model. Whoever calls it bounds the time; an adapter only translates."""

    @property
    def identity(self) -> ModelIdentity:
        """Who replies."""

    def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces, the last of which is Ended, or raise a ModelError.

        Closing the generator, or cancelling whoever waits for it, ends the call at the socket.
        """

    async def close(self) -> None:
        """Let go of the connection; whoever asks a closed model gets a ModelError."""


@runtime_checkable
class Retriever(Protocol):
    """A knowledge store of somebody else. Whoever calls it bounds the time."""

    async def retrieve(self, ask: RetrievalRequest) -> Retrieval:
        """Return at most twenty texts for a query, each with its source, or raise a ReadError."""

    async def close(self) -> None:
        """Let go of the connection; whoever asks a closed retriever gets a ReadError."""


@runtime_checkable
class Orchestrator(Protocol):
    """Does with a language model what a search may ask of one, or says why without.

    It raises nothing of a model: what goes wrong is told as the fallback.
    """

    async def rephrase(self, text: str, known: Sequence[str], seconds: float) -> Rephrased:
        """Say a question in other words; those that are known already are the least."""

    async def rerank(self, text: str, hits: Sequence[Hit], seconds: float) -> Reordered:
        """Choose the passages that belong in front."""


@runtime_checkable
class Extractor(Protocol):
    """Finds names in texts, beside those that patterns find. Blocks; any thread may ask."""

    @property
    def identity(self) -> str:
        """Who finds these names; documents are read anew when it changes."""

    def names(self, texts: Sequence[str]) -> Sequence[Sequence[str]]:
        """Return the names in each text, as they are written there."""


class Writer(Protocol):
    """The only way in for knowledge."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Make all changes durable, or none of them, under one commit number."""

    async def commit(self, scope: Scope) -> int:
        """Return the number of the tenant's last commit, without delay; 0 before the first."""


class Finder(Protocol):
    """Passages and what they are sorted by, as far as the scope sees."""

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages by words, by vector, by both, or by filter alone."""

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        """Return those that exist."""

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return the vectors of the pieces of chunks that stand at these versions and have some.

        A version by chunk id, as the passage says it: where somebody wrote since, nothing comes
        back, for what is known of another text does not fit the one that was read.
        """

    async def facets(self, scope: Scope) -> Facets:
        """Return the tags and source types in use, and how many documents have each."""


class Reader(Finder, Protocol):
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


class Graph(Protocol):
    """Names, entities and the edges between them, as far as the scope sees."""

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it, best first."""

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return those that some visible document defines."""

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        """Follow edges from these entities."""

    async def web(
        self, scope: Scope, chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach
    ) -> Web:
        """Return who is mentioned where, round these chunks and entities."""


class Keeper(Protocol):
    """What it takes to keep documents in step with each other when one of them changes."""

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

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return for each text the documents that have a chunk with all of its words, by id."""

    async def mentioning(self, scope: Scope, entity_ids: Sequence[str]) -> Sequence[str]:
        """Return the documents that define, mention or relate any of these entities, by id."""


class Recall(Protocol):
    """What was counted, kept and said; nothing of it can be changed here."""

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        """Read on from a number."""


class Threads(Protocol):
    """What users keep for later: threads of entries, each with a title and a state.

    A thread belongs to one user of one tenant; for everybody else it does not exist. Its version
    counts every save and every append, so a state that was saved over a version was made with all
    entries up to then in sight.
    """

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        """Save state and title if the thread still has the version it carries, or raise Conflict.

        Entries stay as they are.
        """

    async def append_entries(
        self, scope: Scope, appends: Sequence[Append]
    ) -> Sequence[ThreadSummary]:
        """Append to threads, all or none, and return how each of them stands then.

        A thread that has not the version which is asked for raises Conflict.
        """

    async def read_entries(
        self, scope: Scope, thread_id: str, part: EntryRange
    ) -> Sequence[ThreadEntry]:
        """Return a page of the user's thread by number; one that does not exist has no entries."""

    async def list_threads(
        self, scope: Scope, prefix: str = "", after: str = "", limit: int = 100
    ) -> Sequence[ThreadSummary]:
        """List the user's threads whose ids start with a prefix, the last changed first.

        A page starts after the cursor of a summary. A thread that changes meanwhile moves to the
        front; no other is left out or comes twice.
        """

    async def delete_threads(self, scope: Scope, ids: Sequence[str]) -> int:
        """Delete the user's threads with all that they hold, and return how many existed."""


class Records(Recall, Threads, Protocol):
    """What is not knowledge but must last: counters, threads and feedback."""

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to counters, all or none, and return their new values."""

    async def append_feedback(self, scope: Scope, items: Sequence[Feedback]) -> int:
        """Append, and return the number of the last item."""


class Knowledge(Finder, Graph, Recall, Protocol):
    """What a question needs of a store: it only reads."""


class Operations(Protocol):
    """What somebody who runs the store needs."""

    async def status(self, scope: Scope) -> StoreStatus:
        """Say how the tenant's store is."""

    async def check(self, scope: Scope) -> Sequence[str]:
        """Compare the derived indexes with the truth and name every disagreement."""

    async def rebuild(
        self, scope: Scope, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> None:
        """Derive the indexes anew from the truth, with new vectors if an embedder is given."""

    async def backup(self, target: Path, progress: Progress | None = None) -> int:
        """Write all tenants to one file while the store is in use, and return its size."""

    def dump(self, scope: Scope) -> AsyncIterator[str]:
        """Yield the tenant's knowledge in a canonical form: equal stores give equal lines."""

    async def close(self) -> None:
        """Let go of everything; what was acknowledged is safe already."""


class Store(Writer, Reader, Graph, Keeper, Records, Operations, Protocol):
    """All of it, for one place of storage."""

    async def tenants(self) -> Sequence[str]:
        """Name the tenants that have something stored."""
