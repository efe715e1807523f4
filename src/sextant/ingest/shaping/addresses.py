"""Which web address a file has, by its path and the base address of its source."""

from __future__ import annotations

from posixpath import basename, dirname, splitext
from urllib.parse import quote, urljoin

_PAGES = frozenset({".md", ".mdx", ".markdown"})
_SPHINX = ".rst"
_INDEXES = frozenset({"index", "_index", "readme"})
_PATH, _STEM = "{path}", "{stem}"


def page_address(base: str, path: str, own: str = "") -> str:
    """Return where a file is read on the web: its own address, or one below the base.

    An own address that starts with a slash is one of the base's host.
    """
    is_pattern = _PATH in base or _STEM in base
    if own or not base:
        return urljoin(base, own) if base and own.startswith("/") and not is_pattern else own
    if is_pattern:
        return base.replace(_PATH, quote(path)).replace(_STEM, quote(splitext(path)[0]))
    return f"{base.rstrip('/')}/{quote(_served_path(path))}"


def _served_path(path: str) -> str:
    """Return the path under which generators of sites serve a file.

    MkDocs and Hugo make a folder of each Markdown page, and Docusaurus serves that address, too;
    Sphinx makes an HTML file of each reStructuredText page. Other files are served as they are.
    """
    stem, ending = splitext(path)
    if ending.lower() == _SPHINX:
        return f"{stem}.html"
    if ending.lower() not in _PAGES:
        return path
    folder = dirname(stem) if basename(stem).lower() in _INDEXES else stem
    return f"{folder}/" if folder else ""
