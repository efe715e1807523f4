"""From readings to drafts: the document's id, its fields by the rules, its chunks, its links."""

from __future__ import annotations

import hashlib
import posixpath
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from sextant.errors import BrokenFile
from sextant.ingest.extract.claims import ALIASES, FORMAT, LISTED, NAMES
from sextant.ingest.extract.vocabulary import installed_vocabularies
from sextant.ingest.keeping.draft import (
    LINKED_BY_SOURCE,
    LINKS_TO,
    STATED,
    Draft,
    draft_of,
)
from sextant.ingest.keeping.references import reference_to
from sextant.ingest.read.data.sent import ENDING
from sextant.ingest.shaping.addresses import page_address
from sextant.ingest.shaping.outdated import OUTDATED, own_word
from sextant.ingest.shaping.rules import Marks, Ruling
from sextant.ingest.shaping.split import split
from sextant.ingest.values import Fact, Hyperlink, Item, Reading
from sextant.limits import Limits
from sextant.ports import Extractor
from sextant.retrieval.scoring.page_sorts import RATED
from sextant.text.orders import blank_orders, is_within, orders_in
from sextant.types import (
    DOCUMENT_NODE,
    OWN,
    Chunk,
    Document,
    EmbedderIdentity,
    Entity,
    Relation,
    is_own,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = "10"
"""Changes when the same bytes would make other drafts, so that they are read anew."""

_RECORDS_VERSION = ("records", "2")
"""The same for entities, relations and chunks alone."""
_RECORDS = (".json", ".jsonl", ".ndjson", ".jsonlines")

SOURCE, ITEM = f"{OWN}source", f"{OWN}item"
FINGERPRINT, PARTS = f"{OWN}fingerprint", f"{OWN}parts"
_MOST_LINKS = 200
_LINKED = 0.5


@dataclass(frozen=True, slots=True)
class Shaping:
    """How documents of one source are made."""

    source: str
    ruling: Ruling
    chunk_characters: int
    limits: Limits
    extractor: Extractor | None = None
    where: str = ""
    ids: frozenset[str] = frozenset()
    """What senders may call their documents, in place of a path below the source."""
    embedder: EmbedderIdentity | None = None
    """Whose vectors may be taken over."""

    def marks(self, item: Item) -> Marks:
        """Return what the rules say of an item, by its address or its path below its source."""
        return self.ruling.marks(*self._paths(item))

    def check_claim(self, item: Item, *own: str) -> None:
        """Refuse an item, or a document of it under its own id, where a rule reserves that."""
        self.ruling.check_claim(*self._paths(item), *own)

    def _paths(self, item: Item) -> tuple[str, ...]:
        if item.url:
            return (item.url,)
        path = item.path.removesuffix(ENDING)
        where = self.where if path == self.source else f"{self.where}/{path}"
        return path_under(self.source, path), where.lstrip("/")

    def fingerprint(self, item: Item, data: bytes, marks: Marks) -> str:
        """Return what is the same only if the same bytes would make the same documents."""
        found_by = self.extractor.identity if self.extractor else ""
        where = (self.source, item.path, item.url, item.media_type)
        told = (VERSION, self.chunk_characters, found_by, *where, *installed_vocabularies())
        if item.path.endswith(_RECORDS) and not item.path.endswith(ENDING):
            told += _RECORDS_VERSION
        if self.ruling.owner:
            told = (*told, self.ruling.owner)
        if marks.base_url:
            told = (*told, marks.base_url)
        if marks.is_usual_by_rule:
            told = (*told, RATED)
        digest = hashlib.blake2b(data, digest_size=16)
        digest.update(repr((told, marks)).encode())
        return digest.hexdigest()


def drafts_of(
    item: Item,
    readings: Sequence[Reading],
    fingerprint: str,
    shaping: Shaping,
    marks: Marks | None = None,
) -> list[Draft]:
    """Return the documents of an item, marked so or by the rules.

    An item whose documents bring ids of their own has one under its own path beside them.
    """
    if readings and all(reading.chunks and reading.part for reading in readings):
        readings = [*readings, Reading("", source_type=readings[0].source_type)]
    marks = marks or shaping.marks(item)
    kept = {
        SOURCE: shaping.source,
        ITEM: item.path,
        FINGERPRINT: fingerprint,
        PARTS: str(len(readings)),
    }
    return [_draft(item, reading, marks, kept, shaping) for reading in readings]


def _draft(
    item: Item,
    reading: Reading,
    marks: Marks,
    kept: Mapping[str, str],
    shaping: Shaping,
) -> Draft:
    is_named = reading.id in shaping.ids
    source = "" if is_named else shaping.source
    item = replace(item, path=reading.id) if is_named else item
    document_id = document_id_of(item, reading, source)
    reading = replace(reading, url=_address(item, reading, marks))
    shaping.check_claim(item, document_id, reading.url)
    chunks = reading.chunks or split(reading, document_id, shaping.chunk_characters)
    metadata = {**dict(_fitting(reading.metadata, shaping.limits)), **kept}
    metadata |= dict(list(reading.own_names.items())[: shaping.limits.values // 4])
    metadata[FORMAT] = reading.source_type
    if outdated := own_word(reading):
        metadata[OUTDATED] = outdated
    if marks.is_usual_by_rule:
        metadata[RATED] = "yes"
    if reading.aliases:
        metadata[ALIASES] = "\n".join(sorted(reading.aliases))[: shaping.limits.metadata]
    if reading.chunks:
        metadata[LINKED_BY_SOURCE] = "yes"
    draft = draft_of(
        replace(
            _document(item, reading, document_id, marks, metadata, shaping.limits),
            owner=shaping.ruling.owner_of(reading.owner),
        ),
        chunks,
        tuple(map(_stated_entity, reading.entities)),
        tuple(_stated(reading.facts, chunks)),
        tuple(_links(item, reading.links, chunks, source)),
        kept[FINGERPRINT],
    )
    return replace(
        draft,
        ruled=frozenset(marks.ruled),
        references=tuple(_references(draft.node, reading.facts, chunks)),
        given=_given(reading, shaping),
    )


def _given(reading: Reading, shaping: Shaping) -> Mapping[str, NDArray[np.float32]]:
    if not reading.vectors:
        return {}
    # A process that reads would load numpy for nothing where no vectors come.
    from sextant.ingest.shaping.vectors import kept_vectors

    return dict(kept_vectors(reading, shaping.embedder))


def with_extracted_names(drafts: Sequence[Draft], shaping: Shaping) -> tuple[Draft, ...]:
    """Return documents with the names that the extractor finds in those that bring none."""
    return tuple(
        draft if draft.is_fixed or not draft.chunks else _named_anew(draft, shaping)
        for draft in drafts
    )


def _named_anew(draft: Draft, shaping: Shaping) -> Draft:
    if shaping.extractor is None:
        return draft
    names = _extracted_names(shaping.extractor, draft.chunks)[: shaping.limits.metadata]
    document = replace(draft.document, metadata={**draft.document.metadata, NAMES: names})
    own = (draft.chunks, draft.stated, draft.facts, draft.links, draft.fingerprint)
    anew = draft_of(document, *own)
    return replace(anew, ruled=draft.ruled, references=draft.references, given=draft.given)


def _extracted_names(extractor: Extractor, chunks: Sequence[Chunk]) -> str:
    """Return the names that an extractor finds, one a line, the most frequent first."""
    found = extractor.names([blank_orders(chunk.text) for chunk in chunks])
    counts = Counter(" ".join(name.split()) for own in found for name in own)
    return "\n".join(sorted(counts, key=lambda name: (-counts[name], name)))


def document_id_of(item: Item, reading: Reading, source: str) -> str:
    """Return the id: a page's address, a file's path under its source, or what the source gave."""
    if reading.chunks and reading.part:
        return _unreserved(reading.part)
    base = item.url or path_under(source, item.path)
    return _unreserved(f"{base}#{reading.part}" if reading.part else base)


def _unreserved(document_id: str) -> str:
    if is_own(document_id):
        raise BrokenFile(f"The id {document_id[:80]} starts with {OWN}", "Give it another name.")
    return document_id


def path_under(source: str, path: str) -> str:
    """Return a path under its source; a file that is a source by itself is not named twice."""
    return path if source in ("", path) else f"{source}/{path}"


def _document(
    item: Item,
    reading: Reading,
    document_id: str,
    marks: Marks,
    metadata: Mapping[str, str],
    limits: Limits,
) -> Document:
    tags = {tag[: limits.id] for tag in (*reading.tags, *marks.tags) if tag}
    return Document(
        document_id,
        " ".join(reading.title.split())[: limits.name],
        reading.url[: limits.url],
        marks.source_type or reading.sort[: limits.id] or reading.source_type,
        reading.language[: limits.id],
        frozenset(sorted(tags)[: limits.values]),
        frozenset(marks.personas),
        reading.created,
        reading.modified or reading.created or item.modified,
        marks.reputation,
        metadata,
    )


def _address(item: Item, reading: Reading, marks: Marks) -> str:
    """Return where a document is read; one that came split stands in no file of its own."""
    base = "" if item.url or reading.chunks else marks.base_url
    return page_address(base, item.path.removesuffix(ENDING), reading.url or item.url)


def _fitting(metadata: Mapping[str, str], limits: Limits) -> Iterator[tuple[str, str]]:
    for name in sorted(metadata)[: limits.values // 2]:
        if name and not is_own(name):
            yield name[: limits.id], metadata[name][: limits.metadata]


def _stated_entity(entity: Entity) -> Entity:
    """Return what a source states of an entity, without fields that are ours to give."""
    metadata = {
        name: one for name, one in entity.metadata.items() if not is_own(name) or name == LISTED
    }
    return replace(entity, metadata=metadata) if len(metadata) < len(entity.metadata) else entity


def _stated(facts: Iterable[Fact], chunks: Sequence[Chunk]) -> Iterator[Relation]:
    """Yield what the source states, each with one chunk as evidence where there is one."""
    first = (chunks[0].id,) if chunks else ()
    here = {chunk.id for chunk in chunks}
    for fact in facts:
        known = tuple(one for one in fact.evidence if one in here)
        for evidence in known or first or ("",):
            yield replace(_as_relation(fact), evidence=(evidence,) if evidence else ())


def _references(node: str, facts: Iterable[Fact], chunks: Sequence[Chunk]) -> Iterator[Relation]:
    """Yield the links to the evidence that stands elsewhere."""
    here = {chunk.id for chunk in chunks}
    for fact in facts:
        for chunk_id in dict.fromkeys(fact.evidence):
            if chunk_id not in here:
                yield reference_to(node, _as_relation(fact), chunk_id)


def _as_relation(fact: Fact) -> Relation:
    name = fact.id if fact.id and not is_own(fact.id) else STATED
    return Relation(fact.source, fact.target, fact.kind, fact.confidence, id=name)


def _links(
    item: Item, links: Iterable[Hyperlink], chunks: Sequence[Chunk], source: str
) -> Iterator[Relation]:
    """Yield the links to other documents, with the chunk that holds them; sources come later."""
    starts = [chunk.start for chunk in chunks]
    seen: set[tuple[str, str]] = set()
    for hyperlink in links:
        target = _target(item, hyperlink.target, source)
        at = bisect_right(starts, hyperlink.at) - 1
        if not target or at < 0 or len(seen) >= _MOST_LINKS:
            continue
        if (target, chunks[at].id) not in seen and not _is_in_order(chunks[at], hyperlink.at):
            seen.add((target, chunks[at].id))
            node = DOCUMENT_NODE + target
            yield Relation(node, node, LINKS_TO, _LINKED, evidence=(chunks[at].id,))


def _is_in_order(chunk: Chunk, at: int) -> bool:
    """Whether a place of the document's text stands in an order to an assistant."""
    return is_within(orders_in(chunk.text), at - chunk.start, at - chunk.start + 1)


def _target(item: Item, target: str, source: str) -> str:
    """Return the id of the document that a link leads to, if it could be one of ours."""
    try:
        target, _ = urldefrag(target.strip())
        parts = urlsplit(target)
    except ValueError:
        return ""
    if parts.scheme in ("http", "https"):
        return target
    if parts.scheme or not parts.path:
        return ""
    if item.url:
        return urljoin(item.url, target)
    path = unquote(parts.path)
    base = "" if path.startswith("/") else posixpath.dirname(item.path)
    found = posixpath.normpath(posixpath.join(base, path.lstrip("/")))
    return "" if found.startswith("..") else f"{source}/{found}" if source else found
