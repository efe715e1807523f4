"""From what a request says to files that ingest reads, and the steps that take them in.

A document keeps the id that it is sent with; ids of files start with the name of their source,
``upload`` by default. Either is one for all callers of a tenant: the same id of the same source
replaces what was there, if the caller sees it, and is refused if it does not.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sextant.errors import InvalidInput, SextantError, TooLarge
from sextant.ingest.flow import Options
from sextant.ingest.keeping.mandate import Mandate
from sextant.ingest.read.data.sent import ENDING
from sextant.ingest.read.data.sent import packed as packed_document
from sextant.ingest.sources import place_of
from sextant.limits import check_base_url, check_name
from sextant.serve.jobs import Kind, Order, Whose, spool
from sextant.serve.jobs.work import Step, is_address, packed
from sextant.serve.wire.ingest import DocumentIn, IngestOptions, IngestRequest
from sextant.types import OWN, is_own

SOURCE = "upload"
FILES = "files"
_LISTS = ("entities", "relations", "chunks")
_LONGEST_FIELDS = 90_000
_LONGEST_WHAT = 200
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_Batch = list[tuple[str, bytes]]


def options_of(asked: IngestOptions, mandate: Mandate) -> Options:
    """Return how ingest is to take in files that only pass through here."""
    if asked.name:
        check_name("source", asked.name)
    if asked.base_url:
        check_base_url(asked.base_url)
    if asked.sync and not asked.name:
        raise InvalidInput(
            "Only a source with a name of its own can be synchronised.", "Give it a name."
        )
    return Options(
        tags=tuple(asked.tags),
        **_audience(asked.personas, mandate),
        source_type=asked.source_type,
        name=asked.name or SOURCE,
        include=tuple(asked.include),
        exclude=tuple(asked.exclude),
        sync=asked.sync,
        is_passing=True,
        base_url=asked.base_url,
    )


def _audience(asked: Sequence[str], mandate: Mandate) -> dict[str, Any]:
    """Return for whom documents are, and whose a caller may replace, as options say it."""
    own = mandate.personas
    for persona in asked:
        check_name("persona", persona)
    return {
        "personas": tuple(sorted(mandate.audience(asked))),
        "seen_by": None if own is None else tuple(sorted(own)),
        "chooses": bool(asked),
        "curates": mandate.curates,
    }


def order_of(by: Whose, what: str, steps: Sequence[Step], lane: str = "") -> Order:
    """Return an order to take something in; what one source gets comes in the order it was sent."""
    lane = json.dumps([by.tenant, lane or steps[0].options.name])
    shown = what if len(what) <= _LONGEST_WHAT else f"{what[: _LONGEST_WHAT - 1]}…"
    return Order(Kind.INGEST, shown, lane, packed(steps))


def lay_out(asked: IngestRequest, mandate: Mandate, folder: Path) -> tuple[str, list[Step]]:
    """Write what a request brings below a folder; return what it is about, and the steps."""
    bundle = {name: records for name in _LISTS if (records := getattr(asked, name)) is not None}
    addresses = [*([] if asked.url is None else [asked.url]), *(asked.urls or [])]
    given = [
        asked.documents is not None,
        bool(bundle),
        asked.url is not None or asked.urls is not None,
    ]
    if sum(given) != 1 or not (asked.documents or bundle or addresses):
        raise InvalidInput(
            "A request brings documents, or entities, relations and chunks, or addresses.",
            "Send one of documents, chunks, url or urls, with something in it.",
        )
    if addresses:
        return _addresses(asked, mandate, addresses)
    if asked.documents:
        return _documents(asked, mandate, folder)
    return _bundle(asked, mandate, folder, bundle)


def _addresses(
    asked: IngestOptions, mandate: Mandate, addresses: list[str]
) -> tuple[str, list[Step]]:
    if asked.name and len(addresses) > 1:
        raise InvalidInput("A name is for one address.", "Send them one by one.")
    steps: list[Step] = []
    for address in dict.fromkeys(addresses):
        if not is_address(address):
            raise InvalidInput(
                "Only http and https addresses are fetched.", "Write https://host/path."
            )
        place = place_of(address)
        options = Options(
            tags=tuple(asked.tags),
            **_audience(asked.personas, mandate),
            source_type=asked.source_type,
            name=asked.name or place.name,
            include=tuple(asked.include),
            exclude=tuple(asked.exclude),
            depth=asked.depth,
            sync=asked.sync,
        )
        steps.append(Step(options, address=place.where))
    return ", ".join(step.address for step in steps), steps


def _bundle(
    asked: IngestRequest, mandate: Mandate, folder: Path, bundle: dict[str, Any]
) -> tuple[str, list[Step]]:
    named = {"embedder": asked.embedder} if asked.embedder else {}
    data = json.dumps({**bundle, **named}).encode()
    # Each list by itself, so that one that comes later does not replace the others.
    own = "bundle" if len(bundle) == len(_LISTS) else "-".join(bundle)
    name = f"{own}.json" if asked.name else f"bundle-{_short(data)}.json"
    spool.save(folder / FILES, name, data)
    return name, [Step(options_of(asked, mandate), FILES)]


def _documents(asked: IngestRequest, mandate: Mandate, folder: Path) -> tuple[str, list[Step]]:
    """Write each document as a file; those with other personas or another type are a step more."""
    options = options_of(asked, mandate)
    batches: dict[Options, _Batch] = {}
    ids: dict[str, str] = {}
    for document in asked.documents or []:
        document_id, path = _id_of(document, options.name)
        if path in ids:
            raise InvalidInput(
                f"{document_id[:80]!r} comes twice.", "Give each document its own id."
            )
        ids[path] = document_id
        own = replace(options, source_type=document.source_type or options.source_type)
        if document.personas:
            own = replace(own, **_audience(document.personas, mandate))
        batches.setdefault(own, []).append((path, _data_of(document, document_id)))
    if options.sync and len(batches) > 1:
        raise InvalidInput(
            "Documents with different personas or types cannot be synchronised at once.",
            "Send them under one name each.",
        )
    steps = [
        Step(replace(own, ids=tuple(ids[path] for path, _ in batch)), f"{FILES}-{at}")
        for at, (own, batch) in enumerate(batches.items())
    ]
    for step, batch in zip(steps, batches.values(), strict=True):
        for path, data in batch:
            spool.save(folder / step.folder, path, data)
    return ", ".join(sorted(ids.values())), steps


def _id_of(document: DocumentIn, source: str) -> tuple[str, str]:
    """Return what a document is to be known by, and the path of its file."""
    if is_own(document.id):
        raise InvalidInput(f"No document is called {OWN}…", "Give it another id.")
    if document.id:
        check_name("document id", document.id)
        return document.id, _path(document.id)
    for stand_in in (_SCHEME.sub("", document.url), document.title.replace("/", "-")):
        if name := stand_in.strip():
            try:
                return f"{source}/{name}", _path(f"{source}/{name}")
            except SextantError:
                continue
    name = f"{source}/document-{_short(_text_of(document).encode())}"
    return name, _path(name)


def _path(name: str) -> str:
    spool.tidy_name(name)  # what is wrong with it is told without an ending of ours
    return spool.tidy_name(f"{name}{ENDING}")


def _data_of(document: DocumentIn, document_id: str) -> bytes:
    """Return a document with what it says of itself as the bytes of a file."""
    text = _text_of(document)
    if document.text and document.content:
        raise InvalidInput("A document has text and content.", "Send one of them.")
    if not text.strip():
        raise InvalidInput("A document has no text.", "Send its text, in text or content.")
    fields: dict[str, Any] = dict(document.metadata)
    fields |= {
        name: value
        for name, value in (
            ("title", document.title),
            ("url", document.url),
            ("language", document.language),
            ("tags", document.tags),
            ("created", document.created and document.created.isoformat()),
            ("modified", document.modified and document.modified.isoformat()),
        )
        if value
    }
    if len(json.dumps(fields, ensure_ascii=False)) > _LONGEST_FIELDS:
        raise TooLarge("A document says too much of itself.", "Put it into its text.")
    return packed_document(document_id, text, fields)


def _text_of(document: DocumentIn) -> str:
    return document.text or document.content


def _short(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()
