"""Which kinds of content are fetched. Believes the header; whoever reads the bytes may not."""

from __future__ import annotations

from sextant.errors import UnknownFormat

_HTML = ("text/html", "application/xhtml+xml")
_EXACT = frozenset(
    {
        "application/json",
        "application/jsonl",
        "application/msword",
        "application/pdf",
        "application/rtf",
        "application/toml",
        "application/x-ndjson",
        "application/x-yaml",
        "application/xml",
        "application/yaml",
        "message/rfc822",
    }
)
_STARTS = (
    "text/",
    "application/vnd.ms-",
    "application/vnd.oasis.opendocument.",
    "application/vnd.openxmlformats-officedocument.",
)
_ENDS = ("+json", "+xml", "+yaml")


def check_media_type(shown: str, header: str) -> None:
    """Raise if nobody would read such content; no header at all is no reason."""
    kind = _bare(header)
    if not kind or kind in _EXACT or kind.startswith(_STARTS):
        return
    if kind.startswith("application/") and kind.endswith(_ENDS):
        return
    raise UnknownFormat(
        f"{shown} is of the type {kind[:80]!r}, which is not fetched.",
        "Download it, then name the file.",
    )


def is_html(header: str) -> bool:
    """Say whether content may hold links."""
    return _bare(header) in ("", *_HTML)


def _bare(header: str) -> str:
    return header.split(";")[0].strip().lower()
