"""A door: all that a way in over HTTP declares of itself. The guards go by this and nothing else.

A package brings a door of its own by the entry point group ``sextant.doors``: a name, and a
function ``open_door(house: House) -> Door``. It is opened where ``serve.doors`` names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol, cast

from starlette.types import ASGIApp, Scope

from sextant.serve.caller import Caller, Role
from sextant.serve.house import House
from sextant.serve.http.problem import ErrorForm, Problem
from sextant.settings import ServeSettings

BELOW = "/*"


class Scheme(Protocol):
    """How callers prove at a door who they are."""

    async def caller(self, scope: Scope) -> Caller:
        """Return who came in, or raise Unauthenticated."""

    def brings_proof(self, scope: Scope) -> bool:
        """Whether a request brings a proof at all; a wrong one may be a guess."""

    def challenge(self, scope: Scope, error: str = "", needs: Iterable[Role] = ()) -> str:
        """Return what WWW-Authenticate says to who was refused, or lacks some roles."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a request at a door may take. ``uploads`` are paths that take files by POST.

    Streams are counted over all doors. How often a caller may come at all the settings say;
    ``requests_per_minute`` is for this door alone, 0 for no limit of its own. What takes no place
    is answered however many wait.
    """

    body_bytes: int
    upload_bytes: int
    request_seconds: float
    streams: int
    uploads: frozenset[str] = frozenset()
    requests_per_minute: int = 0
    takes_place: bool = True


@dataclass(frozen=True, slots=True)
class Door:
    """A way in: what it is called, where it is, who may enter, what that may take, what it says.

    A path that ends in ``/*`` stands for itself and all below it; where two doors claim a path, the
    longer claim wins. Everything but ``open_paths`` asks for a proof. ``index`` is what the page at
    ``/`` lists. A door that ``ends_own_work`` hears that a client left and is not cancelled. One
    that speaks several protocols has a form of errors for each request.
    """

    name: str
    paths: tuple[str, ...]
    app: ASGIApp
    scheme: Scheme
    limits: Limits
    error_form: ErrorForm = Problem.response
    error_form_for: Callable[[Scope], ErrorForm] | None = None
    open_paths: tuple[str, ...] = ()
    index: Mapping[str, str] = field(default_factory=dict)
    lifespan: Callable[[], AbstractAsyncContextManager[object]] = nullcontext
    ends_own_work: bool = False

    def form_of_errors(self, scope: Scope) -> ErrorForm:
        """Return how a request is told of an error."""
        return self.error_form_for(scope) if self.error_form_for else self.error_form

    def is_open(self, path: str) -> bool:
        """Whether anybody may come here without a proof."""
        return any(covers(one, path) for one in self.open_paths)


OpenDoor = Callable[[House], Door]
"""What a package registers as an entry point of the group ``sextant.doors``."""


def limits_of(settings: ServeSettings) -> Limits:
    """Return the limits of a door that has no other ones."""
    return Limits(
        body_bytes=settings.body_kilobytes * 1_024,
        upload_bytes=settings.upload_megabytes * 1_024 * 1_024,
        request_seconds=settings.request_seconds,
        streams=settings.streams,
    )


def covers(claim: str, path: str) -> bool:
    """Whether a path is the one that is claimed, or below it where all below is claimed."""
    if not claim.endswith(BELOW):
        return path == claim
    root = claim.removesuffix(BELOW)
    return path == root or path.startswith(f"{root}/")


def door_of(scope: Scope) -> Door:
    """Return the door that a request came to."""
    return cast(Door, scope["state"]["door"])


def route_of(scope: Scope) -> str:
    """Return what few values name where a request went: a path of the door, a route's pattern."""
    path: str = scope["path"]
    return path if path in door_of(scope).paths else getattr(scope.get("route"), "path", "")


def claim_of(scope: Scope) -> str:
    """Return the longest claim of the door that covers where a request came, or nothing."""
    found = (claim for claim in door_of(scope).paths if covers(claim, scope["path"]))
    return max(found, key=len, default="")
