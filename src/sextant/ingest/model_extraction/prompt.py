"""What a model is asked of some texts of one document. Knows the shipped files, and no model.

The files carry their version in their name: what was read under another is read anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from sextant.ingest.keeping.draft import Draft
from sextant.prompting.fence import fenced_text, seen
from sextant.text.orders import blank_orders, has_order
from sextant.types import Message, ModelIdentity, Prompt, Schema, Speaker

VERSION = "3"
_MOST, _CHARACTERS = 8, 6_000
"""A call holds at most so many texts, and so many characters if it holds several."""

_LONGEST = 20_000
_REPLY_TOKENS = 4_000


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A chunk's text as a model reads it, what stands over it, and in which document it stands."""

    above: str
    text: str
    document_id: str = field(default="", compare=False)

    def key(self, tenant: str, reader: str) -> str:
        """Return what is the same only if the same text is read by the same model for a tenant."""
        told = json.dumps([tenant, reader, self.above, self.text])
        return hashlib.blake2b(told.encode(errors="surrogatepass"), digest_size=20).hexdigest()


def reader_of(identity: ModelIdentity) -> str:
    """Return who reads: a model, and what it is asked."""
    return f"{identity} extraction {VERSION}"


def excerpts_of(draft: Draft) -> list[Excerpt]:
    """Return what a model reads of each chunk of a document: all but orders to an assistant."""
    title = draft.document.title
    return [
        Excerpt(
            seen(_joined_titles((title, *chunk.headings))),
            seen(blank_orders(chunk.text)[:_LONGEST]),
            draft.document.id,
        )
        for chunk in draft.chunks
    ]


def _joined_titles(titles: Iterable[str]) -> str:
    own = (title for title in dict.fromkeys(titles) if title and not has_order(title))
    return " > ".join(own)


def portions(excerpts: Sequence[Excerpt]) -> Iterator[list[Excerpt]]:
    """Put texts of one document together as far as they fit into a call."""
    held: list[Excerpt] = []
    size = 0
    for one in excerpts:
        if held and (len(held) == _MOST or size + len(one.text) > _CHARACTERS):
            yield held
            held, size = [], 0
        held.append(one)
        size += len(one.text)
    if held:
        yield held


def prompt_for(excerpts: Sequence[Excerpt]) -> Prompt:
    """Ask for the names and relations in some texts, which are numbered from 1."""
    said = "\n".join(
        fenced_text(f"passage {number}", f"{one.above}\n{one.text}")
        for number, one in enumerate(excerpts, 1)
    )
    return Prompt(
        (Message(Speaker.SYSTEM, _shipped("md")), Message(Speaker.USER, said)),
        schema=_schema(),
        temperature=0.0,
        max_tokens=_REPLY_TOKENS,
    )


@cache
def _shipped(kind: str) -> str:
    named = files(__package__).joinpath("prompts", f"extraction-{VERSION}.{kind}")
    return named.read_text(encoding="utf-8")


@cache
def _schema() -> Schema:
    return Schema("extraction", json.loads(_shipped("json")))
