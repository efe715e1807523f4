"""The actions of a declarative workflow as a program: a row of operations with jumps between them.

Knows the kinds of actions and their keys; what an agent replies is somebody else's business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sextant.ask.workflow.declarative.expressions import (
    Call,
    Literal,
    Node,
    parse_expression,
    parse_template,
)
from sextant.ask.workflow.place import close
from sextant.ask.workflow.tables import Table, Where
from sextant.errors import ConfigError

_LOCAL = "Local."
_ALWAYS = frozenset({"kind", "id", "displayName", "description"})
_KEYS: Mapping[str, frozenset[str]] = {
    "SetVariable": frozenset({"variable", "value"}),
    "SetMultipleVariables": frozenset({"assignments"}),
    "Question": frozenset(
        {"variable", "prompt", "entity", "skipQuestionMode", "alwaysPrompt", "autoSend"}
    ),
    "InvokeAzureAgent": frozenset({"agent", "input", "output", "conversationId"}),
    "ConditionGroup": frozenset({"conditions", "elseActions"}),
    "SendActivity": frozenset({"activity"}),
    "GotoAction": frozenset({"actionId"}),
    "EndConversation": frozenset(),
    "EndWorkflow": frozenset(),
}
"""What each kind of action may say beside its id."""


@dataclass(frozen=True, slots=True)
class Assign:
    """Put a value into a variable."""

    where: str
    variable: str
    value: Node


@dataclass(frozen=True, slots=True)
class Prompted:
    """Put what the user asks into a variable."""

    where: str
    variable: str


@dataclass(frozen=True, slots=True)
class Invoke:
    """Give an agent a message, and keep what it replies; sent means that the user hears it."""

    where: str
    agent: str
    message: Node
    variable: str
    is_sent: bool


@dataclass(frozen=True, slots=True)
class Send:
    """Say something to the user."""

    where: str
    activity: Node


@dataclass(frozen=True, slots=True)
class Test:
    """Go on if a condition holds, else go to an operation."""

    where: str
    condition: Node
    otherwise: int


@dataclass(frozen=True, slots=True)
class Jump:
    """Go to an operation."""

    where: str
    to: int


@dataclass(frozen=True, slots=True)
class End:
    """Stop."""

    where: str


Operation = Assign | Prompted | Invoke | Send | Test | Jump | End


def compile_actions(table: Table) -> tuple[Operation, ...]:
    """Return the program of a workflow's file, or say what in it is not understood."""
    trigger = table.values.get("trigger")
    if str(table.values.get("kind", "")).casefold() != "workflow" or not isinstance(trigger, dict):
        raise ConfigError(
            f"{table.at('kind')}: this is no declarative workflow.",
            "It begins with `kind: workflow` and has a `trigger` with `actions`.",
        )
    if trigger.get("kind") != "OnConversationStart":
        raise ConfigError(
            f"{table.at('trigger', 'kind')}: {trigger.get('kind')!r} is no trigger.",
            "Write `kind: OnConversationStart`.",
        )
    compiler = _Compiler(table)
    compiler.add(trigger.get("actions"), ("trigger", "actions"))
    return compiler.finished()


@dataclass(slots=True)
class _Compiler:
    """A program under way, and where each action of a name begins."""

    table: Table
    operations: list[Operation] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    jumps: list[tuple[int, str]] = field(default_factory=list)

    def add(self, actions: Any, where: Where) -> None:
        """Add actions in their order."""
        if not isinstance(actions, list):
            raise self._refused(where, "a list of actions is missing", "Write `actions:`.")
        for number, action in enumerate(actions):
            self._add(action, (*where, number))

    def finished(self) -> tuple[Operation, ...]:
        """Return the program with every jump at its goal."""
        for at, label in self.jumps:
            where = self.operations[at].where
            if label not in self.labels:
                raise ConfigError(
                    f"{where}: there is no action {label!r} to go to.", close(label, self.labels)
                )
            self.operations[at] = Jump(where, self.labels[label])
        return (*self.operations, End(self.table.file))

    def _add(self, action: Any, where: Where) -> None:
        kind = str(action.get("kind")) if isinstance(action, dict) else "?"
        if kind not in _KEYS:
            raise self._refused(where, f"the action {kind!r} is not understood", close(kind, _KEYS))
        unknown = sorted(map(str, action.keys() - _KEYS[kind] - _ALWAYS))
        if unknown:
            raise self._refused(
                (*where, unknown[0]),
                f"{unknown[0]} of {kind} is not understood",
                close(unknown[0], _KEYS[kind] | _ALWAYS),
            )
        if isinstance(name := action.get("id"), str) and name:
            if name in self.labels:
                raise self._refused(where, f"two actions are called {name!r}", "Rename one.")
            self.labels[name] = len(self.operations)
        self._compile(kind, action, where)

    def _compile(self, kind: str, action: dict[str, Any], where: Where) -> None:
        at = self.table.at(*where)
        match kind:
            case "SetVariable":
                self._assign(action, where)
            case "SetMultipleVariables":
                for number, one in enumerate(action.get("assignments") or ()):
                    self._assign(one, (*where, "assignments", number))
            case "Question":
                self.operations.append(Prompted(at, self._variable(action, where)))
            case "InvokeAzureAgent":
                self.operations.append(self._invocation(action, where))
            case "SendActivity":
                self.operations.append(Send(at, self._template(action.get("activity"), where)))
            case "ConditionGroup":
                self._branch(action, where)
            case "GotoAction":
                self.jumps.append((len(self.operations), str(action.get("actionId"))))
                self.operations.append(Jump(at, -1))
            case _:
                self.operations.append(End(at))

    def _assign(self, one: Any, where: Where) -> None:
        if not isinstance(one, dict) or "value" not in one:
            raise self._refused(where, "a variable without a value", "Write `value:`.")
        value = self._value(one["value"], (*where, "value"))
        line = self.table.at(*where, "value")
        self.operations.append(Assign(line, self._variable(one, where), value))

    def _invocation(self, action: dict[str, Any], where: Where) -> Invoke:
        agent, given = action.get("agent"), action.get("input")
        output = action.get("output") or {}
        name = agent.get("name") if isinstance(agent, dict) else None
        if not isinstance(name, str) or not name or name.startswith("="):
            raise self._refused(where, "it names no agent", "Write `agent:` with a `name:`.")
        if not isinstance(given, dict) or set(given) != {"messages"}:
            raise self._refused(
                (*where, "input"), "an agent is given `messages` alone", "Write `messages: =…`."
            )
        if not isinstance(output, dict) or set(output) - {"autoSend", "responseObject", "messages"}:
            raise self._refused(
                (*where, "output"), "this output is not understood", "Write `responseObject:`."
            )
        variable = self._variable({"variable": output.get("responseObject")}, (*where, "output"))
        message = self._value(given["messages"], (*where, "input", "messages"))
        is_sent = output.get("autoSend", True) is True
        return Invoke(self.table.at(*where), name, message, variable, is_sent)

    def _branch(self, action: dict[str, Any], where: Where) -> None:
        """Add each condition with its actions; behind those, all go on at the end."""
        ends: list[int] = []
        for number, one in enumerate(action.get("conditions") or ()):
            here = (*where, "conditions", number)
            unknown = set(one) - {"condition", "actions", "id"} if isinstance(one, dict) else {"?"}
            if unknown or "condition" not in one:
                raise self._refused(here, "this condition is not understood", "Write `condition:`.")
            condition = self._value(one["condition"], (*here, "condition"))
            line, test = self.table.at(*here, "condition"), len(self.operations)
            self.operations.append(Test(line, condition, -1))
            self.add(one.get("actions") or [], (*here, "actions"))
            ends.append(len(self.operations))
            self.operations.append(Jump(line, -1))
            self.operations[test] = Test(line, condition, len(self.operations))
        self.add(action.get("elseActions") or [], (*where, "elseActions"))
        for end in ends:
            self.operations[end] = Jump(self.operations[end].where, len(self.operations))

    def _variable(self, one: Mapping[str, Any], where: Where) -> str:
        name = one.get("variable")
        if not isinstance(name, str) or not name.removeprefix(_LOCAL).isidentifier():
            raise self._refused(where, f"{name!r} is no variable", "Write Local.NAME.")
        if not name.startswith(_LOCAL):
            raise self._refused(where, f"{name!r} is no variable of ours", "Write Local.NAME.")
        return name.removeprefix(_LOCAL)

    def _value(self, value: Any, where: Where) -> Node:
        if not isinstance(value, str):
            return Literal(float(value) if type(value) is int else value)
        if value.startswith("="):
            return parse_expression(value[1:], self.table.at(*where))
        return Literal(value)

    def _template(self, activity: Any, where: Where) -> Node:
        if not isinstance(activity, str):
            raise self._refused(where, "an activity is a text", "Write `activity: …`.")
        if activity.startswith("="):
            return self._value(activity, (*where, "activity"))
        at = self.table.at(*where, "activity")
        return Call("Concatenate", parse_template(activity, at))

    def _refused(self, where: Where, why: str, hint: str) -> ConfigError:
        return ConfigError(f"{self._line(where)}: {why}.", hint)

    def _line(self, where: Sequence[str | int]) -> str:
        """Return where something stands; of what is not there, where it would."""
        for end in range(len(where), 0, -1):
            if tuple(where[:end]) in self.table.lines:
                return self.table.at(*where[:end])
        return self.table.file
