"""From files to a workflow, or to everything that is wrong with them. Knows no model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sextant.ask.workflow.check import read_schema, wrong_schema, wrong_steps, wrong_values
from sextant.ask.workflow.kinds import (
    AGENT,
    AGENT_FILE,
    LIMITS,
    RETRIEVING_AGENT,
    SCHEMA_FILE,
    WORKFLOW,
)
from sextant.ask.workflow.narrow import narrowed
from sextant.ask.workflow.nouns import RETRIEVER, STEPS, Agent, Workflow, WorkflowLimits
from sextant.ask.workflow.place import MAIN, Place, open_place, shipped_text
from sextant.ask.workflow.tables import Table, read_table
from sextant.errors import ConfigError
from sextant.types import JsonObject, Schema


def load(folder: str = "") -> Workflow:
    """Return the workflow of a folder, or the shipped one, or say what is wrong with it."""
    examined = examine(folder)
    if examined.workflow is None:
        first, more = examined.mistakes[0], len(examined.mistakes) - 1
        told = f"There are {more} more: `sextant workflow check`." if more else ""
        raise ConfigError(first.message, f"{first.hint} {told}".strip())
    return examined.workflow


@dataclass(frozen=True, slots=True)
class Examined:
    """A workflow, or every mistake that keeps it from being one."""

    workflow: Workflow | None
    mistakes: tuple[ConfigError, ...] = ()


def examine(folder: str = "") -> Examined:
    """Read all files of a workflow; a folder that did not change is not read again."""
    try:
        place = open_place(folder)
        return _examined(str(place.folder or ""), _state(place))
    except ConfigError as error:
        return Examined(None, (error,))
    except OSError as error:
        return Examined(
            None,
            (
                ConfigError(
                    f"{folder}: {error.strerror or 'unreadable'}.", "Let this account read it."
                ),
            ),
        )


_State = tuple[tuple[str, int, int], ...]


def _state(place: Place) -> _State:
    """Return what changes when a file of the user does."""
    folder = place.folder
    paths = [folder / name for name in place.names()] if folder else []
    stats = [(path, path.stat()) for path in paths if path.exists()]
    return tuple((str(path), one.st_mtime_ns, one.st_size) for path, one in stats)


@lru_cache(maxsize=16)
def _examined(folder: str, _state: _State) -> Examined:
    place = open_place(folder)
    reading = _Reading(place, [])
    workflow = reading.workflow()
    mistakes = (*reading.mistakes, *place.strays())
    return Examined(None if mistakes else workflow, mistakes)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A workflow under way, and the mistakes so far."""

    place: Place
    mistakes: list[ConfigError]

    def workflow(self) -> Workflow | None:
        table = self._table(MAIN)
        is_right = table is not None and self._right(_wrong_workflow(table))
        limits = WorkflowLimits(**table.values["limits"]) if table and is_right else _LIMITS
        files = _agent_files(table)
        agents = [self._agent(step, files[step], limits) for step in STEPS]
        if table is None or self.mistakes:
            return None
        return Workflow(
            table.values["name"],
            table.values["version"],
            table.values["max_retries"],
            limits,
            {one.name: one for one in agents if one},
            table.values.get("description", ""),
            dict(self.place.origins),
        )

    def _agent(self, step: str, file: str, limits: WorkflowLimits) -> Agent | None:
        table = self._table(file)
        if table is None:
            return None
        is_right = self._right(_wrong_agent(table, step))
        named = table.values.get("schema")
        schema = None if SCHEMA_FILE.wants(named) else self._schema(table, step, limits)
        if schema is None or not is_right:
            return None
        return Agent(**{**_NO_MODEL, **table.values, "schema": schema, "file": file})

    def _schema(self, agent: Table, step: str, limits: WorkflowLimits) -> Schema | None:
        name = f"rag-{'retrieval' if step == RETRIEVER else step}-schema"
        shipped, file = _shipped_schema(name), agent.values["schema"]
        try:
            own = read_schema(file, self.place.read(file, agent.at("schema")))
        except ConfigError as error:
            self.mistakes.append(error)
            return None
        if not self._right(wrong_schema(f"{file}, named by {agent.file}", own, shipped)):
            return None
        return Schema(name, narrowed(own, limits))

    def _table(self, file: str) -> Table | None:
        try:
            return read_table(file, self.place.read(file, MAIN))
        except ConfigError as error:
            self.mistakes.append(error)
            return None

    def _right(self, mistakes: Iterator[ConfigError]) -> bool:
        """Take note of mistakes, and say whether there were none."""
        before = len(self.mistakes)
        self.mistakes.extend(mistakes)
        return len(self.mistakes) == before


_LIMITS = WorkflowLimits()
_NO_MODEL: Mapping[str, Any] = {"instructions": "", "model": "", "temperature": 0, "max_tokens": 0}


def _agent_files(table: Table | None) -> dict[str, str]:
    """Return the file of each step's agent; where the list is wrong, the shipped one."""
    files = {step: f"agents/rag-{step}-agent.yaml" for step in STEPS}
    listed = table.values.get("steps") if table else None
    for one in listed if isinstance(listed, list) else ():
        if (
            isinstance(one, dict)
            and one.get("name") in STEPS
            and not AGENT_FILE.wants(one.get("agent"))
        ):
            files[one["name"]] = one["agent"]
    return files


def _wrong_workflow(table: Table) -> Iterator[ConfigError]:
    yield from wrong_values(table, WORKFLOW)
    if isinstance(table.values.get("limits"), dict):
        yield from wrong_values(table, LIMITS, "limits")
    if isinstance(table.values.get("steps"), list):
        yield from wrong_steps(table)


def _wrong_agent(table: Table, step: str) -> Iterator[ConfigError]:
    yield from wrong_values(table, RETRIEVING_AGENT if step == RETRIEVER else AGENT)
    name = table.values.get("name")
    if isinstance(name, str) and name != step:
        where = f"{table.at('name')}: name is {name[:60]!r}"
        if name in STEPS:
            yield ConfigError(
                f"{where}, but this is the agent of the step {step}.", f"Write `name: {step}`."
            )
        else:
            yield ConfigError(f"{where}; there is no such agent.", f"Write `name: {step}`.")


@lru_cache(maxsize=len(STEPS))
def _shipped_schema(name: str) -> JsonObject:
    file = f"schemas/{name}.json"
    return read_schema(file, shipped_text(file))
