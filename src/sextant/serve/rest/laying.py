"""From what a request says to files that ingest reads, and the steps that take them in.

Ids of documents that come here start with the name of their source, ``upload`` by default, for all
callers of a tenant: the same name replaces what was there, if the caller sees it, and is refused if
it does not.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sextant.errors import Forbidden, InvalidInput, SextantError, TooLarge
from sextant.ingest.flow import Options
from sextant.ingest.sources import place_of
from sextant.serve.caller import Caller, Wanted
from sextant.serve.jobs import Kind, Order, Whose, spool
from sextant.serve.jobs.work import Step, is_address, packed
from sextant.serve.wire.ingest import DocumentIn, IngestOptions, IngestRequest
from sextant.types import Scope

SOURCE = "upload"
FILES = "files"
_ENDING = ".md"
_LONGEST_HEAD = 90_000
_LONGEST_WHAT = 200
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_UNPRINTABLE = re.compile("[^\t -~\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_Batch = list[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class Audience:
    """The personas that a caller may use, which are all where there are none."""

    own: frozenset[str] | None

    def personas(self, asked: Sequence[str]) -> tuple[str, ...]:
        """Return for whom a document is: for those asked for, or for the caller's own."""
        if self.own is None:
            return tuple(sorted(set(asked)))
        if not self.own.issuperset(asked):
            raise Forbidden(
                "This caller may not give documents to that persona.", "Use one of its own."
            )
        return tuple(sorted(set(asked) or self.own))

    @property
    def seen_by(self) -> tuple[str, ...] | None:
        """Return as whom the caller sees what is there."""
        return None if self.own is None else tuple(sorted(self.own))


def audience_of(caller: Caller, wanted: Wanted, scope: Scope) -> Audience:
    """Return whom a caller brings documents for; who asks as a persona is limited to it."""
    if wanted.persona and scope.persona is not None:
        return Audience(frozenset({scope.persona}))
    return Audience(caller.personas)


def options_of(asked: IngestOptions, audience: Audience) -> Options:
    """Return how ingest is to take in files that only pass through here."""
    if asked.sync and not asked.name:
        raise InvalidInput(
            "Only a source with a name of its own can be synchronised.", "Give it a name."
        )
    return Options(
        tags=tuple(asked.tags),
        personas=audience.personas(asked.personas),
        source_type=asked.source_type,
        name=asked.name or SOURCE,
        include=tuple(asked.include),
        exclude=tuple(asked.exclude),
        sync=asked.sync,
        is_passing=True,
        seen_by=audience.seen_by,
    )


def order_of(by: Whose, what: str, steps: Sequence[Step], lane: str = "") -> Order:
    """Return an order to take something in; what one source gets comes in the order it was sent."""
    lane = json.dumps([by.tenant, lane or steps[0].options.name])
    shown = what if len(what) <= _LONGEST_WHAT else f"{what[: _LONGEST_WHAT - 1]}…"
    return Order(Kind.INGEST, shown, lane, packed(steps))


def lay_out(asked: IngestRequest, audience: Audience, folder: Path) -> tuple[str, list[Step]]:
    """Write what a request brings below a folder; return what it is about, and the steps."""
    bundle = {
        name: records
        for name in ("entities", "relations", "chunks")
        if (records := getattr(asked, name)) is not None
    }
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
        return _addresses(asked, audience, addresses)
    if asked.documents:
        return _documents(asked, audience, folder)
    return _bundle(asked, audience, folder, bundle)


def _addresses(
    asked: IngestOptions, audience: Audience, addresses: list[str]
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
            personas=audience.personas(asked.personas),
            source_type=asked.source_type,
            name=asked.name or place.name,
            include=tuple(asked.include),
            exclude=tuple(asked.exclude),
            depth=asked.depth,
            sync=asked.sync,
            seen_by=audience.seen_by,
        )
        steps.append(Step(options, address=place.where))
    return ", ".join(step.address for step in steps), steps


def _bundle(
    asked: IngestOptions, audience: Audience, folder: Path, bundle: dict[str, Any]
) -> tuple[str, list[Step]]:
    data = json.dumps(bundle).encode()
    name = "bundle.json" if asked.name else f"bundle-{_short(data)}.json"
    spool.save(folder / FILES, name, data)
    return name, [Step(options_of(asked, audience), FILES)]


def _documents(asked: IngestRequest, audience: Audience, folder: Path) -> tuple[str, list[Step]]:
    """Write each document as a file; those with other personas or another type are a step more."""
    options = options_of(asked, audience)
    batches: dict[Options, _Batch] = {}
    names: set[str] = set()
    for document in asked.documents or []:
        name = _name_of(document)
        if name in names:
            raise InvalidInput(f"{name[:80]!r} comes twice.", "Give each document its own id.")
        names.add(name)
        personas = audience.personas(document.personas) if document.personas else options.personas
        source_type = document.source_type or options.source_type
        own = replace(options, personas=personas, source_type=source_type)
        batches.setdefault(own, []).append((name, _markdown(document)))
    if options.sync and len(batches) > 1:
        raise InvalidInput(
            "Documents with different personas or types cannot be synchronised at once.",
            "Send them under one name each.",
        )
    steps = [Step(own, f"{FILES}-{at}") for at, own in enumerate(batches)]
    for step, batch in zip(steps, batches.values(), strict=True):
        for name, data in batch:
            spool.save(folder / step.folder, name, data)
    return ", ".join(sorted(names)), steps


def _name_of(document: DocumentIn) -> str:
    """Return what a document is called below its source."""
    if document.id:
        return spool.tidy_name(_with_ending(document.id))
    for stand_in in (_SCHEME.sub("", document.url), document.title.replace("/", "-")):
        if stand_in.strip():
            try:
                return spool.tidy_name(_with_ending(stand_in.strip()))
            except SextantError:
                continue
    return f"document-{_short(_text_of(document).encode())}{_ENDING}"


def _with_ending(name: str) -> str:
    return name if name.lower().endswith(_ENDING) else f"{name}{_ENDING}"


def _markdown(document: DocumentIn) -> bytes:
    """Return a document as Markdown, with what it says of itself as its front matter."""
    text = _text_of(document)
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
    # What YAML does not take as it is stands there by its number, as in JSON.
    head = json.dumps(fields, ensure_ascii=False)
    head = _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", head)
    if len(head) > _LONGEST_HEAD:
        raise TooLarge("A document says too much of itself.", "Put it into its text.")
    return f"---\n{head}\n---\n{text}".encode() if fields else text.encode()


def _text_of(document: DocumentIn) -> str:
    return document.text or document.content


def _short(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()
