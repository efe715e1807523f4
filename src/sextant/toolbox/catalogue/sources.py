"""Where catalogues come from: files, and servers that list their tools. Knows no protocol."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sextant.errors import TooMuch, Unreachable
from sextant.ports import ToolServer
from sextant.toolbox.catalogue.formats import CatalogueForm, Naming, read_catalogue, read_list
from sextant.toolbox.catalogue.formats.documents import LARGEST
from sextant.toolbox.catalogue.nouns import Catalogue

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file that describes tools; it is called by its name unless it is given one."""

    path: Path
    given_name: str = ""
    form: CatalogueForm = CatalogueForm.ANY
    personas: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """How the source is called."""
        return self.given_name or self.path.stem

    async def read(self) -> Catalogue:
        """Return what the file describes."""
        data = await asyncio.to_thread(_bytes_of, self.path)
        naming = Naming(self.name)
        found = await asyncio.to_thread(read_catalogue, str(self.path), data, naming, self.form)
        return _for_personas(found, self.personas)


def file_source(
    given: str,
    form: CatalogueForm = CatalogueForm.ANY,
    personas: frozenset[str] = frozenset(),
) -> FileSource:
    """Return the file that a command line names, as PATH or NAME=PATH."""
    name, sign, path = given.partition("=")
    is_named = bool(sign and path and _NAME.fullmatch(name)) and not Path(given).exists()
    return FileSource(Path(path if is_named else given), name if is_named else "", form, personas)


@dataclass(frozen=True, slots=True)
class DataSource:
    """A description that was sent, such as the body of a request."""

    name: str
    data: bytes
    file: str = "catalogue"
    form: CatalogueForm = CatalogueForm.ANY
    personas: frozenset[str] = frozenset()

    async def read(self) -> Catalogue:
        """Return what was sent."""
        naming = Naming(self.name)
        found = await asyncio.to_thread(read_catalogue, self.file, self.data, naming, self.form)
        return _for_personas(found, self.personas)


@dataclass(frozen=True, slots=True)
class ServerSource:
    """A server that lists its tools; it is opened to be read, and closed again."""

    name: str
    open: Callable[[], ToolServer]
    personas: frozenset[str] = frozenset()

    async def read(self) -> Catalogue:
        """Return all tools of the server, or an error that names it."""
        server = self.open()
        try:
            listed = await server.tools()
        finally:
            await server.close()
        return catalogue_of_server(self.name, listed, self.personas)


def catalogue_of_server(
    name: str, listed: Sequence[Mapping[str, Any]], personas: frozenset[str]
) -> Catalogue:
    """Return what a server lists as a catalogue: its tools are called after it."""
    return _for_personas(read_list(listed, Naming(name, name)), personas)


def _for_personas(found: Catalogue, personas: frozenset[str]) -> Catalogue:
    """Return a catalogue whose tools are for some personas only, unless it says for which."""
    if not personas:
        return found
    tools = tuple(replace(one, personas=one.personas or personas) for one in found.tools)
    return replace(found, tools=tools)


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise Unreachable(
            f"{path.name} cannot be read: {error.strerror or 'it is no file'}.",
            "Name a file that this account may read.",
        ) from None
    if len(data) > LARGEST:
        raise TooMuch(f"{path.name} is larger than {LARGEST:,} bytes.", "Split it.")
    return data
