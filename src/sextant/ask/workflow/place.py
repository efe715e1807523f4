"""Where a workflow's files are: in a user's folder or, if not there, in the package.

Whatever a file names stays inside the folder, and nothing large is read.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from sextant.ask.workflow.nouns import SHIPPED
from sextant.errors import ConfigError

MAIN = "workflows/current-agentic-rag-workflow.yaml"
FOLDERS = ("workflows", "agents", "schemas")
LARGEST = 64 * 1024
_MOST_FILES = 200
_ENDINGS = frozenset({".yaml", ".yml", ".json"})


@cache
def shipped() -> tuple[str, ...]:
    """Name the files of the package, by their paths."""
    found = (f"{folder}/{one.name}" for folder in FOLDERS for one in _package(folder).iterdir())
    return tuple(sorted(name for name in found if PurePosixPath(name).suffix in _ENDINGS))


def shipped_text(name: str) -> str:
    """Return a file of the package."""
    return _package(name).read_text(encoding="utf-8")


@dataclass(slots=True)
class Place:
    """A folder, or none, over the package; remembers what was read, and from where."""

    folder: Path | None = None
    origins: dict[str, str] = field(default_factory=dict)

    def read(self, name: str, named_by: str) -> str:
        """Return a file that another one names: the user's own, else the shipped one."""
        path = self._own(name)
        if path is not None:
            self.origins[name] = str(path)
            return read_text(name, path)
        if name not in shipped():
            alike = [one for one in shipped() if one.startswith(f"{name.partition('/')[0]}/")]
            raise ConfigError(f"{named_by}: there is no file {name}.", close(name, alike))
        self.origins[name] = SHIPPED
        return shipped_text(name)

    def strays(self) -> list[ConfigError]:
        """Name the files that look like parts of a workflow and that nothing refers to."""
        known = {*shipped(), *self.origins}
        return [_stray(name, known) for name in self.names() if name not in known]

    def names(self) -> list[str]:
        """Name the user's files, sorted."""
        if self.folder is None:
            return []
        places = (self.folder, *(self.folder / one for one in FOLDERS))
        found = [path for place in places if place.is_dir() for path in place.iterdir()]
        if len(found) > _MOST_FILES:
            raise ConfigError(f"{self.folder} holds more than {_MOST_FILES} files.", _FOLDER_HINT)
        names = (
            path.relative_to(self.folder).as_posix() for path in found if path.suffix in _ENDINGS
        )
        return sorted(names)

    def _own(self, name: str) -> Path | None:
        if self.folder is None:
            return None
        path = self.folder / name
        try:
            if not path.exists() and not path.is_symlink():
                return None
            if not path.resolve().is_relative_to(self.folder):
                raise ConfigError(
                    f"{name}: it leads out of the folder.", "Put the file itself there."
                )
            if not path.is_file():
                raise ConfigError(f"{name}: it is not a file.", "Put a file there.")
        except OSError as error:
            raise _unreadable(name, error) from None
        return path


def is_inside(name: str, folder: str) -> bool:
    """Whether a name is the path of a file in this folder, and of nothing else."""
    path = PurePosixPath(name)
    is_file = path.parts[:-1] == (folder,) and path.suffix in _ENDINGS
    return is_file and name.isprintable() and "\\" not in name and ":" not in name


def open_place(folder: str) -> Place:
    """Take a user's folder, which must hold something of a workflow; none is the package alone."""
    if not folder:
        return Place()
    try:
        path = Path(folder).expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise ConfigError(f"The workflow {folder!r} is not a folder.", _FOLDER_HINT) from None
    if not path.is_dir():
        raise ConfigError(f"The workflow {folder!r} is not a folder.", _FOLDER_HINT)
    place = Place(path)
    if not place.names():
        raise ConfigError(f"The workflow {folder} holds no file of a workflow.", _FOLDER_HINT)
    return place


def close(name: str, known: Iterable[str]) -> str:
    """Return what was probably meant, or all that there is."""
    known = sorted(known)
    meant = difflib.get_close_matches(name, known, 1)
    return f"Did you mean {meant[0]}?" if meant else f"Known: {', '.join(known)}."


def _package(name: str) -> Traversable:
    return files("sextant.ask.workflow").joinpath(name)


def read_text(name: str, path: Path) -> str:
    """Return the text of a file that is not too large; errors call it by this name."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise _unreadable(name, error) from None
    if len(data) > LARGEST:
        raise ConfigError(f"{name}: it is larger than {LARGEST:,} bytes.", "Shorten it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(f"{name}: it is not written in UTF-8.", "Save it as UTF-8.") from None


def _unreadable(name: str, error: OSError) -> ConfigError:
    return ConfigError(f"{name}: it cannot be read: {error.strerror}.", "Let this account read it.")


def _stray(name: str, known: Iterable[str]) -> ConfigError:
    same = [one for one in known if PurePosixPath(one).name == PurePosixPath(name).name]
    hint = f"It belongs to {same[0]}." if same else close(name, known)
    return ConfigError(f"{name}: nothing refers to this file.", hint)


_FOLDER_HINT = "Start from the shipped files: `sextant workflow copy FOLDER`."
