"""The MCP conformance suite of npm: runs it against a server, and reads what it found."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.peers.fixtures import MODULES

SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
_WIRE = "wire-schema-valid"
_BAD = ("FAILURE", "WARNING")
_WHEN = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")
_LISTED = re.compile(r"^ *- (\S+) \[(.+)\]$", re.MULTILINE)
_PATIENCE_S = 120


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of the checks of a scenario; one that warns has failed."""

    passed: frozenset[str]
    failed: Mapping[str, str]

    @property
    def is_passed(self) -> bool:
        """Whether something was examined beside the shape of messages, and nothing was found."""
        return bool(self.passed - {_WIRE}) and not self.failed


Found = Mapping[str, Verdict]


def examined(node: str, url: str, revision: str, folder: Path) -> Found:
    """Run every scenario of a revision against a server, and return what came of each."""
    given = ("--url", f"{url}/mcp", "--spec-version", revision, "--suite", "all")
    ended = _run(node, folder, "server", *given, "--output-dir", str(folder))
    assert "=== SUMMARY ===" in ended.stdout, ended.stdout + ended.stderr
    return {_scenario(one): _verdict(one) for one in folder.glob("server-*") if one.is_dir()}


def scenarios(node: str, folder: Path) -> Mapping[str, frozenset[str]]:
    """Return the scenarios for servers that there are, each with its revisions."""
    listed = _run(node, folder, "list", "--server").stdout
    return {name: frozenset(tags.split(",")) for name, tags in _LISTED.findall(listed)}


def unlisted(found: Found, excused: Mapping[str, str]) -> dict[str, str]:
    """Return what did not pass and is not excused, with what the suite says of it."""
    return {
        key: told
        for name, verdict in found.items()
        if name not in excused and not verdict.is_passed
        for key, told in _problems(name, verdict).items()
        if key not in excused
    }


def outdated(found: Found, excused: Mapping[str, str]) -> set[str]:
    """Return what is excused and passes."""
    return {key for key in excused if _passes(found, *key.partition(":")[::2])}


def _passes(found: Found, scenario: str, check: str) -> bool:
    verdict = found.get(scenario)
    if verdict is None:
        return False
    return check in verdict.passed if check else verdict.is_passed


def _problems(name: str, verdict: Verdict) -> dict[str, str]:
    if not verdict.failed:
        return {name: "Nothing was examined."}
    return {f"{name}:{check}": told for check, told in verdict.failed.items()}


def _run(node: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [node, str(SUITE), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE_S,
    )


def _scenario(folder: Path) -> str:
    return _WHEN.sub("", folder.name).removeprefix("server-")


def _verdict(folder: Path) -> Verdict:
    checks = json.loads((folder / "checks.json").read_text())
    failed = {
        one["id"]: one.get("errorMessage") or one["description"]
        for one in checks
        if one["status"] in _BAD
    }
    passed = {one["id"] for one in checks if one["status"] == "SUCCESS"}
    return Verdict(frozenset(passed - failed.keys()), failed)
