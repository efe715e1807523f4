"""Which format bytes are in: by name, by media type, by their first bytes. Reads nothing."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from sextant.errors import BrokenFile, UnknownFormat
from sextant.ingest.read.decode import looks_binary
from sextant.ingest.read.plugin_formats import installed_formats, plugin_format_of

_CODE = """
    py pyi pyx js mjs cjs jsx ts tsx java kt kts scala groovy gradle c h cc cpp cxx hpp hh cs fs
    vb go rs rb php pl pm lua r jl swift m mm dart ex exs erl hrl hs ml mli clj cljs lisp el scm
    sh bash zsh fish ps1 psm1 bat cmd sql graphql gql proto thrift tf hcl bicep nix cmake mk css
    scss sass less vue svelte sol zig nim v vhd asm s awk sed vim toml ini cfg conf properties
    env editorconfig xml xsd xsl xslt svg wsdl plist dockerfile makefile rego cue jsonnet
    feature robot
"""
_ENDINGS = {
    "markdown": "md markdown mdx mkd mdown qmd rmd",
    "html": "html htm xhtml",
    "text": "txt text log asc adoc asciidoc org tex srt vtt diff patch me 1st",
    "rst": "rst rest",
    "pdf": "pdf",
    "docx": "docx docm dotx",
    "pptx": "pptx pptm ppsx",
    "xlsx": "xlsx xlsm",
    "csv": "csv tsv tab",
    "json": "json geojson webmanifest jsonld har",
    "jsonl": "jsonl ndjson jsonlines",
    "email": "eml",
    "mbox": "mbox mbx",
    "notebook": "ipynb",
    "yaml": "yaml yml",
    "code": _CODE,
}
_BY_ENDING = {ending: name for name, endings in _ENDINGS.items() for ending in endings.split()}
_BY_NAME = {
    "dockerfile": "code", "makefile": "code", "jenkinsfile": "code", "vagrantfile": "code",
    "gemfile": "code", "rakefile": "code", "justfile": "code", "procfile": "code",
    "codeowners": "text", "readme": "text", "license": "text", "notice": "text",
    "changelog": "text", "authors": "text", "contributing": "text", "copying": "text",
    "robots.txt": "text",
}  # fmt: skip
_BY_MEDIA = {
    "text/markdown": "markdown", "text/x-markdown": "markdown", "text/html": "html",
    "application/xhtml+xml": "html", "text/plain": "text", "text/x-rst": "rst",
    "application/pdf": "pdf", "text/csv": "csv", "text/tab-separated-values": "csv",
    "application/json": "json", "application/ld+json": "json", "application/x-ndjson": "jsonl",
    "application/jsonl": "jsonl", "message/rfc822": "email", "application/mbox": "mbox",
    "application/x-ipynb+json": "notebook", "application/yaml": "yaml", "text/yaml": "yaml",
    "application/x-yaml": "yaml", "text/x-yaml": "yaml", "text/javascript": "code",
    "text/css": "code", "application/xml": "code", "text/xml": "code",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}  # fmt: skip
_ZIPPED = {"docx": b"word/", "pptx": b"ppt/", "xlsx": b"xl/"}
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PDF_WITHIN = 1_024
_CATALOGUE = re.compile(rb"^apiVersion:\s*['\"]?(?:scaffolder\.)?backstage\.io/", re.MULTILINE)
_HTML = re.compile(rb"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b", re.I | re.S)
_MBOX = re.compile(rb"From \S+ .*\d{4}\s*\n")


def format_of(path: str, media_type: str, head: bytes) -> str:
    """Name the format of a file from its name, its media type and its first bytes."""
    media = media_type.partition(";")[0].strip().lower()
    name = _by_name(path) or _BY_MEDIA.get(media, "")
    if not name and (foreign := plugin_format_of(_ending(path), media)):
        if not installed_formats()[foreign].is_binary:
            _refuse_other_content(foreign, head)
        return foreign
    if name == "text" and _HTML.match(head) and not _ending(path):
        name = "html"
    name = name or _by_content(path, media_type, head)
    _refuse_other_content(name, head)
    return "catalogue" if name == "yaml" and _CATALOGUE.search(head) else name


def _by_name(path: str) -> str:
    name = PurePosixPath(path).name.lower()
    return _BY_ENDING.get(_ending(path)) or _BY_NAME.get(name, "")


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix.lower().lstrip(".")


def _by_content(path: str, media_type: str, head: bytes) -> str:
    if b"%PDF-" in head[:_PDF_WITHIN]:
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        inside = [name for name, folder in _ZIPPED.items() if folder in head]
        if inside:
            return inside[0]
    if (head and looks_binary(head)) or head.startswith(b"PK\x03\x04"):
        raise _unknown(path, media_type)
    if _HTML.match(head):
        return "html"
    if _MBOX.match(head):
        return "mbox"
    if _ending(path) and not media_type.startswith("text/") and not head.strip():
        raise _unknown(path, media_type)
    return "text"


def _unknown(path: str, media_type: str) -> UnknownFormat:
    ending = _ending(path)
    what = f"files that end in .{ending[:20]}" if ending else media_type or "this kind of file"
    known = ", ".join(sorted([*_ENDINGS, *installed_formats()]))
    return UnknownFormat(f"There is no reader for {what}.", f"Known formats: {known}.")


def _refuse_other_content(name: str, head: bytes) -> None:
    """Refuse content that contradicts the name; an empty file contradicts a binary format only."""
    if name == "pdf":
        if b"%PDF-" not in head[:_PDF_WITHIN]:
            raise BrokenFile("It is named like a PDF, but is not one.", "Save it again as PDF.")
    elif name in _ZIPPED:
        _refuse_no_zip(name, head)
    elif head.startswith((b"%PDF-", b"PK\x03\x04", _OLD_OFFICE)) or looks_binary(head):
        raise BrokenFile(
            "It is named like text, but its content is binary.",
            "Give it the ending of what it is, or leave it out.",
        )


def _refuse_no_zip(name: str, head: bytes) -> None:
    if head.startswith(_OLD_OFFICE):
        raise BrokenFile(
            f"It is encrypted, or of an older format than {name}.",
            f"Save it as {name} without a password.",
        )
    if not head.startswith(b"PK"):
        raise BrokenFile(f"It is named like a {name}, but is not one.", f"Save it again as {name}.")
