"""Replies as REST tells them: plain values as JSON, with a strong tag where they can be kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from sextant.serve.rest.request.bodies import JSON
from sextant.serve.rest.request.refusals import Refused
from sextant.text.codec.json_bytes import written


class HasId(Protocol):
    """What has an id, by which the next page is found."""

    @property
    def id(self) -> str:
        """The id."""


N = TypeVar("N", bound=HasId)


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return plain values as a reply that nobody keeps."""
    kept = {"cache-control": "no-store", **(headers or {})}
    return Response(written(value), status, kept, JSON)


def tagged(request: Request, value: Any, headers: Mapping[str, str] | None = None) -> Response:
    """Return plain values with their tag, or only the tag to whoever has them already."""
    return by_tag(
        request, written(value), JSON, {"cache-control": "private, no-cache", **(headers or {})}
    )


def by_tag(request: Request, body: bytes, media: str, headers: Mapping[str, str]) -> Response:
    """Return bytes with their tag, or only the tag to whoever has them already."""
    tag = _tag(body)
    kept = {"etag": tag, **headers}
    if _names(",".join(request.headers.getlist("if-none-match")), tag):
        return Response(status_code=304, headers=kept)
    return Response(body, 200, kept, media)


def tag_of(value: Any) -> str:
    """Return the tag that plain values have."""
    return _tag(written(value))


def check_unchanged(tag: str | None, if_match: str | None, if_none_match: str | None) -> None:
    """Refuse a change where the client knows another state, or thinks that there is none."""
    is_known = if_match is None or (tag is not None and _names(if_match, tag, is_strong=True))
    is_there = if_none_match is not None and tag is not None and _names(if_none_match, tag)
    if is_there or not is_known:
        raise Refused(
            412,
            "precondition_failed",
            "It is not as the request says it should be.",
            "Read it again, then change it with its new ETag in If-Match.",
        )


def linked(request: Request, **parameters: str | int) -> str:
    """Return the address of this resource, as it was written, with some parameters changed."""
    own = {**request.query_params, **parameters}
    path = request.scope.get("raw_path") or request.url.path.encode()
    return f"{path.decode('ascii', 'replace')}?{urlencode(own)}"


def paged(request: Request, found: Sequence[N], limit: int) -> tuple[Sequence[N], str | None]:
    """Return a page of what was found, and where the next is if more was found than that."""
    page = found[:limit]
    return page, linked(request, after=page[-1].id) if len(found) > limit else None


def next_link(address: str | None) -> dict[str, str]:
    """Return the header that says where the next page is."""
    return {"link": f'<{address}>; rel="next"'} if address else {}


def _tag(body: bytes) -> str:
    return f'"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'


def _names(given: str, tag: str, *, is_strong: bool = False) -> bool:
    """Whether a list of tags has this one, or any."""
    named = [one.strip() for one in given.split(",")]
    if not is_strong:
        named = [one.removeprefix("W/") for one in named]
    return "*" in named or tag in named
