"""What is being done, told to whoever traces it. Knows no tracer; nothing is told where none is.

A tracer holds for what runs inside ``traced``, and so for all that this calls. No span has a text
of a question, a document or a reply: names, numbers and codes only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self, TypeAlias

Value: TypeAlias = str | bool | int | float | Sequence[str]
Facts: TypeAlias = Mapping[str, Value]

RUN = "sextant.run.id"
"""One question with all that it takes, as the audit log names it."""
CONVERSATION = "gen_ai.conversation.id"


class Kind(StrEnum):
    """On which side of a call a span is."""

    WITHIN = "within"
    SERVER = "server"
    CLIENT = "client"


class Span(Protocol):
    """Something that is being done."""

    @property
    def is_heard(self) -> bool:
        """Whether anybody will read what is noted."""

    def note(self, facts: Facts) -> None:
        """Add to what is known of it."""

    def rename(self, name: str) -> None:
        """Call it what it turned out to be."""

    def fail(self, code: str) -> None:
        """Say that it went wrong, and how such a thing is called."""

    def end(self, error: BaseException | None = None) -> None:
        """Say that it is over, and what went wrong; only the first end counts."""


class Tracer(Protocol):
    """Takes spans to where they are read."""

    def begin(self, name: str, kind: Kind, facts: Facts, parent: Mapping[str, str]) -> Span:
        """Begin a span inside the one that is under way, or inside what headers name."""

    def inside(self, span: Span) -> AbstractContextManager[object]:
        """Let what begins meanwhile be a part of a span."""

    def headers(self) -> dict[str, str]:
        """Return what another server must be told, so that its spans join ours."""

    async def close(self) -> None:
        """Send what is not sent yet, within a bound."""


@dataclass(frozen=True, slots=True)
class _Here:
    tracer: Tracer
    carried: Facts


_here: ContextVar[_Here | None] = ContextVar("sextant_spans", default=None)


@contextmanager
def traced(tracer: Tracer | None, carried: Facts | None = None) -> Iterator[None]:
    """Tell a tracer what is done meanwhile; every span has the facts that are carried."""
    before = _here.get()
    tracer = tracer or (before.tracer if before else None)
    if tracer is None:
        yield
        return
    known = before.carried if before else {}
    token = _here.set(_Here(tracer, {**known, **(carried or {})}))
    try:
        yield
    finally:
        _here.reset(token)


def span(
    name: str,
    facts: Facts | None = None,
    kind: Kind = Kind.WITHIN,
    parent: Mapping[str, str] | None = None,
) -> AbstractContextManager[Span]:
    """Tell of what is done in a block, and how it ended."""
    here = _here.get()
    if here is None:
        return _QUIET
    return _inside(here.tracer, _begun(here, name, facts, kind, parent))


def begun(name: str, facts: Facts | None = None, kind: Kind = Kind.WITHIN) -> Span:
    """Begin a span that is no block, such as a stream: whoever begins it must end it."""
    here = _here.get()
    return _begun(here, name, facts, kind, None) if here else _QUIET


def is_traced() -> bool:
    """Whether anybody listens here."""
    return _here.get() is not None


def outward() -> dict[str, str]:
    """Return the headers that let another server's spans join ours."""
    here = _here.get()
    return here.tracer.headers() if here else {}


def _begun(
    here: _Here, name: str, facts: Facts | None, kind: Kind, parent: Mapping[str, str] | None
) -> Span:
    return here.tracer.begin(name, kind, {**here.carried, **(facts or {})}, parent or {})


@contextmanager
def _inside(tracer: Tracer, one: Span) -> Iterator[Span]:
    try:
        with tracer.inside(one):
            yield one
    except BaseException as error:
        one.end(error)
        raise
    finally:
        one.end()


class _Quiet:
    """A span where nobody listens, and the block that it is."""

    is_heard = False

    def note(self, facts: Facts) -> None:
        """Forget it."""

    def rename(self, name: str) -> None:
        """Forget it."""

    def fail(self, code: str) -> None:
        """Forget it."""

    def end(self, error: BaseException | None = None) -> None:
        """Forget it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None


_QUIET = _Quiet()
