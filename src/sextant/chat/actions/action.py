"""Actions that the server carries out for a model: plain functions, with a schema of their own.

A function becomes an action with `@action`; what its parameters are annotated with says what a
model may send, and is checked before the function is called.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, get_type_hints, overload

import msgspec

from sextant.chat.context import RunContext
from sextant.errors import ConfigError, SextantError, public_words
from sextant.prompting.secrets.redact import redacted
from sextant.text.codec.json_bytes import written
from sextant.types import JsonObject, ToolSpec

_log = logging.getLogger(__name__)
_TIDYING_S = 1.0  # for an action that was cancelled, as for a model
_LONGEST_MESSAGE = 300  # characters, as of what a model's provider says
_PATH = re.compile(r"(?:\b[A-Za-z]:)?[\\/][\w.~-]+(?:[\\/][^\s'\":]*)+")

Handler = Callable[[str, RunContext], Awaitable[object]]
"""Takes the arguments, as JSON of the model, and returns a value that becomes JSON."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a model may have done here. One that needs approval waits for a person.

    What stays here is sent to nobody: such an action may be called with any address. What a strange
    one returns is somebody else's words, which a model reads as data.
    """

    name: str
    description: str
    parameters: JsonObject
    handler: Handler
    needs_approval: bool = False
    stays_here: bool = False
    is_strange: bool = False

    @property
    def tool(self) -> ToolSpec:
        """How a model sees it."""
        return ToolSpec(self.name, self.description, self.parameters)


@dataclass(frozen=True, slots=True)
class ActionResult:
    """What came of a call: a text, usually JSON; whether it went wrong, and why."""

    text: str
    failed: bool = False
    message: str = ""


@overload
def action(function: Callable[..., Any]) -> Action: ...


@overload
def action(
    *, name: str = "", description: str = "", approval: bool = False
) -> Callable[[Callable[..., Any]], Action]: ...


def action(
    function: Callable[..., Any] | None = None,
    *,
    name: str = "",
    description: str = "",
    approval: bool = False,
) -> Action | Callable[[Callable[..., Any]], Action]:
    """Make a function, plain or async, an action; its docstring is what a model is told of it.

    A parameter that is annotated as `RunContext` gets the run: who asks, the client's properties.
    With approval, a person is asked before it is carried out.
    """

    def make(own: Callable[..., Any]) -> Action:
        called = name or own.__name__
        told = description or inspect.cleandoc(own.__doc__ or "")
        arguments, context = _arguments_of(own, called)
        schema = _schema_of(arguments)

        async def handle(sent: str, run: RunContext) -> object:
            given = msgspec.json.decode(sent or "{}", type=arguments)
            values = {field: getattr(given, field) for field in arguments.__struct_fields__}
            if context:
                values[context] = run
            if inspect.iscoroutinefunction(own):
                return await own(**values)
            return await asyncio.to_thread(own, **values)

        return Action(called, told, schema, handle, approval)

    return make(function) if function else make


async def carry_out(
    own: Action, arguments: str, context: RunContext, *, seconds: float, longest: int
) -> ActionResult:
    """Carry out a call within its time, and return what came of it, whatever that is."""
    try:
        returned = await _within(seconds, own.handler(arguments, context))
    except _Late:
        return failed_result(f"{own.name} did not end within {seconds:g} s.")
    except SextantError as error:
        return failed_result(" ".join(public_words(error)))
    except msgspec.MsgspecError as error:
        return failed_result(f"The arguments of {own.name} are wrong: {error}")
    except Exception as error:
        _log.warning("The action %s failed.", own.name, exc_info=True)
        return failed_result(_safe_message(error))
    try:
        text = _text_of(returned)
    except (TypeError, ValueError, RecursionError):
        return failed_result(f"{own.name} returned what is no JSON.")
    if len(text) > longest:
        return failed_result(f"{own.name} returned more than {longest} characters.")
    return ActionResult(text)


class _Late(Exception):
    """An action took longer than it may."""


async def _within(seconds: float, work: Awaitable[object]) -> object:
    """Return what work comes to; what does not let itself be cancelled is left alone."""
    task = asyncio.ensure_future(_contained(work))
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            raise _Late
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=_TIDYING_S)
    if task.cancelled():
        raise RuntimeError("It was cancelled.")
    return task.result()


async def _contained(work: Awaitable[object]) -> object:
    """Return what work comes to; one that wants to end the process has failed."""
    try:
        return await work
    except SystemExit:
        raise RuntimeError("It wanted to end the process.") from None


def failed_result(message: str, code: str = "HANDLER_ERROR") -> ActionResult:
    """Return a failure as clients and models know it from other runtimes."""
    error = {"code": code, "message": message}
    return ActionResult(written({"error": error, "result": ""}).decode(), True, message)


def _arguments_of(function: Callable[..., Any], name: str) -> tuple[type[msgspec.Struct], str]:
    """Return the type of an action's arguments, and the parameter that takes the run, if any."""
    hints, context = get_type_hints(function), ""
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for one in inspect.signature(function).parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD, one.POSITIONAL_ONLY):
            raise ConfigError(
                f"The action {name} takes {one}, which has no name for a model.",
                "Give every parameter a name of its own.",
            )
        if hints.get(one.name) is RunContext:
            context = one.name
        elif one.default is one.empty:
            fields.append((one.name, hints.get(one.name, Any)))
        else:
            fields.append((one.name, hints.get(one.name, Any), one.default))
    made = msgspec.defstruct(name, fields, kw_only=True, forbid_unknown_fields=True)
    return made, context


def _schema_of(arguments: type[msgspec.Struct]) -> dict[str, Any]:
    (top,), others = msgspec.json.schema_components([arguments], ref_template="#/$defs/{name}")
    own: dict[str, Any] = others.pop(top["$ref"].rpartition("/")[2])
    own.pop("title", None)
    return own | ({"$defs": others} if others else {})


def _text_of(returned: object) -> str:
    if returned is None:
        return ""
    return returned if isinstance(returned, str) else written(returned).decode()


def _safe_message(error: Exception) -> str:
    """Return what an error says, without paths and secrets; of the system's, only its kind."""
    said = (error.strerror or "") if isinstance(error, OSError) else str(error)
    return redacted(_PATH.sub("…", said))[:_LONGEST_MESSAGE] or type(error).__name__
