"""What a tool of ours is: its name, its shapes, who may use it, and what it does."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel

from sextant.retrieval.events import Emit
from sextant.serve.caller import Role, Wanted
from sextant.serve.errors import Shown
from sextant.text.codec.json_bytes import shown_json
from sextant.types import Scope

Plain = Mapping[str, Any]
"""Values as JSON has them."""

_DOT = re.compile(r"(?<=[a-z])\.(?=[A-Z])")
"""The dot in a name such as RAGPipeline.SearchAndRank; after a sentence comes a space."""


class Request(Protocol):
    """What every tool's request can say of itself."""

    @property
    def wanted(self) -> Wanted:
        """For whom it says that it asks."""

    @property
    def subject(self) -> str:
        """What it asks or names, for the audit log."""


def as_json(given: Plain) -> str:
    """Tell a result as JSON, for clients that read no structured content."""
    return shown_json(given)


def as_error(error: Shown) -> Plain:
    """Tell an error as plain values."""
    return {"code": error.code, "message": error.sentence, "hint": error.hint}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. ``takes`` is a model that makes a Request; what ``run`` returns fits ``gives``.

    Where that is None, ``run`` returns a whole result of the protocol, which is passed on.

    Defaults that come from the settings are told in its schema by the names of their fields.
    One that remembers writes no knowledge, but does not only read either.
    """

    name: str
    title: str
    description: str
    takes: type[BaseModel]
    gives: type[BaseModel] | None
    role: Role
    run: Callable[[Scope, Any, Emit], Awaitable[Plain]]
    writes: bool = False
    destroys: bool = False
    remembers: bool = False
    text: Callable[[Plain], str] = as_json
    refused: Callable[[Shown], Plain] = as_error
    defaults: Mapping[str, int] = field(default_factory=dict)


def portable(text: str) -> str:
    """Return a tool's name, or a text that names tools, without the dots in their names."""
    return _DOT.sub("_", text)
