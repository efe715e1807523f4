"""From a file to a catalogue: which form it has, and what stands in it. Knows no store."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from sextant.errors import BrokenFile, InvalidInput, UnknownFormat
from sextant.toolbox.catalogue.formats.documents import read_value
from sextant.toolbox.catalogue.formats.entries import Naming
from sextant.toolbox.catalogue.formats.lists import read_list, read_tables
from sextant.toolbox.catalogue.formats.openapi import is_openapi, read_openapi
from sextant.toolbox.catalogue.nouns import Catalogue

_TABLES = frozenset({"tools", "functions", "nodes", "categories", "relations", "edges"})
_TAKEN = (
    "Taken are {tools, categories, relations}, {nodes, edges}, a list of tools as MCP's tools/list "
    "or OpenAI's functions have them, one of these per line, and OpenAPI 3 or Swagger 2."
)


class CatalogueForm(StrEnum):
    """What a file is said to be; any is found out."""

    ANY = "any"
    OPENAPI = "openapi"


def read_catalogue(
    file: str, data: bytes, naming: Naming | None = None, form: CatalogueForm = CatalogueForm.ANY
) -> Catalogue:
    """Return what a file describes, or say which forms are taken and where this one breaks."""
    name = PurePath(file).name
    naming = naming or Naming(PurePath(file).stem)
    try:
        value = _unwrapped(read_value(name, data))
        if form is CatalogueForm.OPENAPI and not (_is_table(value) and is_openapi(value)):
            raise UnknownFormat(
                f"{name} does not say that it is OpenAPI or Swagger: {_found(value)}.",
                "It must begin with `openapi: 3…` or `swagger: '2.0'`.",
            )
        return _read(name, value, naming)
    except InvalidInput as error:
        raise BrokenFile(f"{name}: {error.message}.", error.hint) from None
    except RecursionError:
        raise BrokenFile(f"{name}: it is nested too deeply.", "Write it flatter.") from None


def _read(name: str, value: Any, naming: Naming) -> Catalogue:
    if isinstance(value, list):
        return read_list(value, naming)
    if _is_table(value) and is_openapi(value):
        return read_openapi(value, naming)
    if _is_table(value) and not _TABLES.isdisjoint(value):
        return read_tables(value, naming)
    if _is_table(value) and value.keys() & {"function", "inputSchema", "input_schema"}:
        return read_list([value], naming)
    raise UnknownFormat(f"{name} is no catalogue of tools: {_found(value)}.", _TAKEN)


def _unwrapped(value: Any) -> Any:
    """Return what a reply of JSON-RPC holds, as tools/list is often saved whole."""
    inner = value.get("result") if _is_table(value) and "jsonrpc" in value else None
    return inner if _is_table(inner) else value


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _found(value: Any) -> str:
    if not _is_table(value):
        return f"it holds a {type(value).__name__}"
    keys = ", ".join(repr(str(key)[:40]) for key in list(value)[:8])
    return f"at its top are {keys or 'no names'}"
