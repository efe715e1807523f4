"""The files of deploy/, read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def texts() -> Iterator[tuple[str, str]]:
    """Yield every file that is no lock, with its name."""
    for path in sorted(DEPLOY.rglob("*")):
        if path.is_file() and path.suffix != ".lock" and path.name != ".env":
            yield path.relative_to(ROOT).as_posix(), path.read_text()


def manifest(name: str) -> dict[str, Any]:
    """Return a manifest by its file's name."""
    found: dict[str, Any] = yaml.safe_load((KUBERNETES / f"{name}.yaml").read_text())
    return found


def steps() -> list[str]:
    """Return the instructions of the Dockerfile, each on one line."""
    whole = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", DOCKERFILE))
    return [line for line in whole.splitlines() if line.strip()]


def step(word: str) -> list[str]:
    """Return what follows an instruction, for each time that it is there."""
    return [line.removeprefix(word).strip() for line in steps() if line.startswith(f"{word} ")]


def listed(word: str) -> list[str]:
    """Return the only instruction of a kind that is written as a list."""
    (found,) = step(word)
    parts: list[str] = json.loads(found)
    return parts


def set_in_image() -> dict[str, str]:
    """Return the variables that the image sets."""
    return dict(pair.split("=", 1) for line in step("ENV") for pair in line.split())


def set_by_example() -> dict[str, str]:
    """Return the variables of the example for compose, those too that are commented out."""
    found = re.findall(r"(?m)^#?([A-Z][A-Z_]+)=(.*)$", (DEPLOY / ".env.example").read_text())
    return dict(found)


def pinned(lock: Path) -> dict[str, tuple[str, int]]:
    """Return the packages of a lock: version, and how many hashes."""
    found: dict[str, tuple[str, int]] = {}
    for entry in re.split(r"(?m)^(?=[A-Za-z0-9])", lock.read_text()):
        if named := re.match(r"([A-Za-z0-9._-]+)(?:\[.*?\])?==([^\s;]+)", entry):
            found[named[1].lower()] = (named[2], entry.count("--hash=sha256:"))
    return found
