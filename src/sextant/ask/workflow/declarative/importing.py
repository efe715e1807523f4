"""From a declarative workflow's files to those of a workflow of ours. Writes nothing.

What a workflow asks of its agents in which order is rehearsed; how they are asked is the line's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from sextant.ask.workflow.declarative.actions import Invoke, Operation, compile_actions
from sextant.ask.workflow.declarative.agents import (
    DEEPEST,
    Declared,
    read_agents,
    step_of_name,
)
from sextant.ask.workflow.declarative.rehearse import count_rounds
from sextant.ask.workflow.load import examine, load
from sextant.ask.workflow.nouns import STEPS
from sextant.ask.workflow.place import MAIN, read_text, shipped_text
from sextant.ask.workflow.tables import Table, read_table
from sextant.errors import ConfigError

_WIDTH = 110
_INPUTS = (
    "The texts that the file builds for its agents are not taken over: Sextant writes its own."
)


@dataclass(frozen=True, slots=True)
class Imported:
    """The files of a workflow of ours by their names, and what whoever imports it should know."""

    files: Mapping[str, str]
    notes: tuple[str, ...]


def import_workflow(file: Path, provider: str = "", tool: str = "") -> Imported:
    """Read a declarative workflow and the agents beside it, or say what is not understood.

    A provider such as ``azure`` is put before the names of models; the tool is the one that the
    retriever's server is asked by.
    """
    path = file.resolve()
    if not path.is_file():
        raise ConfigError(f"{file.name}: it is not a file.", "Name a workflow's YAML file.")
    table = read_table(path.name, read_text(path.name, path), DEEPEST)
    program = compile_actions(table)
    declared = read_agents(path, provider, tool)
    steps = _steps(program, declared)
    rounds = count_rounds(program, steps)
    used = [declared[name] for name in steps if name in declared]
    files = {MAIN: _main(table, rounds, used)} | {
        f"agents/rag-{one.step}-agent.yaml": _agent(one) for one in used
    }
    _check(files)
    notes = [note for one in used for note in one.notes]
    shipped = [name for name in steps if name not in declared]
    missing = f"The shipped agents are used for {', '.join(shipped)}." if shipped else ""
    return Imported(files, tuple(one for one in (*notes, missing, _INPUTS) if one))


def _steps(program: Sequence[Operation], declared: Mapping[str, Declared]) -> dict[str, str]:
    """Return the step of every agent that is invoked; each step has one agent."""
    steps: dict[str, str] = {}
    for one in (one for one in program if isinstance(one, Invoke)):
        known = declared.get(one.agent)
        step = known.step if known else step_of_name(one.agent)
        if not step:
            raise ConfigError(
                f"{one.where}: it is not clear which step {one.agent} does.",
                f"Put its file into `agents/`, or name it after one of {', '.join(STEPS)}.",
            )
        if steps.setdefault(one.agent, step) and list(steps.values()).count(step) > 1:
            raise ConfigError(
                f"{one.where}: two agents do the step {step}.", "Invoke one agent for each step."
            )
    return steps


def _main(table: Table, rounds: int, used: Sequence[Declared]) -> str:
    limits: dict[str, Any] = asdict(load().limits)
    for one in used:
        limits |= one.limits
    return _dumped(
        {
            "name": str(table.values.get("name") or "imported"),
            "version": 1,
            "description": str(table.values.get("description") or ""),
            "max_retries": rounds,
            "limits": limits,
            "steps": [{"name": one, "agent": f"agents/rag-{one}-agent.yaml"} for one in STEPS],
        }
    )


def _agent(one: Declared) -> str:
    shipped = read_table(one.step, shipped_text(f"agents/rag-{one.step}-agent.yaml")).values
    return _dumped({**shipped, **one.values})


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as they are."""

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """Return a text as a block if it has several lines."""
        style = "|" if "\n" in text else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _Dumper.represent_text)


def _dumped(values: Mapping[str, Any]) -> str:
    return yaml.dump(
        dict(values), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH
    )


def _check(files: Mapping[str, str]) -> None:
    """Refuse what the files of a workflow of ours may not say."""
    with TemporaryDirectory() as folder:
        write_files(Path(folder), files)
        mistakes = examine(folder).mistakes
    if mistakes:
        raise mistakes[0]


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a workflow to a folder that is there."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
