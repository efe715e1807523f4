"""What is wrong with a request, field by field, in words for who sent it. Knows no protocol.

Neither the names of our own shapes are told, nor what was sent.
"""

from __future__ import annotations

import difflib
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from sextant.serve.wire.common.models import TEXT
from sextant.serve.wire.common.strict import UNKNOWN, alike, names_in

_LONGEST = 200
_MOST_KNOWN = 15
_OF_KEY = "[key]"
_INPUT = "Input should be "
_IT = "It should be "
_OBJECT = frozenset({"model_type", "model_attributes_type", "dict_type"})
_NOT_KNOWN = frozenset({"extra_forbidden", UNKNOWN})


@dataclass(frozen=True, slots=True)
class Fault:
    """A field by its path, which is empty for all of them together, and what is wrong with it."""

    field: str
    message: str


@dataclass(frozen=True, slots=True)
class _Found:
    """Where an error is: its path, the shape that should know its last name, whether of several."""

    path: tuple[str, ...]
    owner: Any
    is_choice: bool


def faults_of(errors: Iterable[Mapping[str, Any]], model: type[BaseModel] | None) -> list[Fault]:
    """Return what pydantic says of a value of a model, each field once."""
    found = [(_found(one["loc"], model), one) for one in errors]
    paths = {place.path for place, _ in found}
    told: dict[str, list[str]] = {}
    for place, error in found:
        if not (place.is_choice and any(_is_within(path, place.path) for path in paths)):
            name = ".".join(part[:_LONGEST] for part in place.path)[:_LONGEST]
            told.setdefault(name, []).append(_message(error, place))
    return [Fault(name, _joined(messages)) for name, messages in told.items()]


def unknown(name: str, known: Iterable[str], what: str = "field") -> str:
    """Say that nobody knows a name, and which one may be meant."""
    names = list(known)
    meant = _meant(name, names)
    if meant:
        return f"There is no such {what}. Did you mean {meant}?"
    names = list({alike(one): one for one in reversed(names)}.values())[::-1]
    listed = f" There is {', '.join(names)}." if 0 < len(names) <= _MOST_KNOWN else ""
    return f"There is no such {what}.{listed}"


def _meant(name: str, names: Sequence[str]) -> str:
    if len(name) > _LONGEST:
        return ""
    for one in names:
        if alike(one) == alike(name):
            return one
    lowered = {one.lower(): one for one in reversed(names)}
    return next((lowered[one] for one in difflib.get_close_matches(name.lower(), lowered, 1)), "")


def _found(loc: Sequence[str | int], model: type[BaseModel] | None) -> _Found:
    """Follow a path; after a field of several kinds stands a name that only pydantic knows."""
    path: list[str] = []
    owner, here, is_choice = None, _bare(model), False
    for step in loc:
        kinds = _kinds(here)
        is_choice = len(kinds) > 1
        if is_choice:
            here = _bare(next((one for one in kinds if _label(one) == step), None))
        elif step != _OF_KEY:
            path.append(str(step))
            owner, here = here, _bare(_inside(here, step))
    return _Found(tuple(path), owner, is_choice)


def _inside(kind: Any, step: str | int) -> Any:
    """Return what kind a field of a shape, an item of a list or a value of a map is of."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        field = names_in(kind).get(str(step))
        return field.annotation if field else None
    parts = get_args(kind)
    return parts[-1] if parts else None


def _bare(kind: Any) -> Any:
    """Return a kind without its bounds, and without that there may be none of it."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    kinds = _kinds(kind)
    return _bare(kinds[0]) if len(kinds) == 1 and kinds[0] is not kind else kind


def _kinds(kind: Any) -> list[Any]:
    if get_origin(kind) in (Union, types.UnionType):
        return [one for one in get_args(kind) if one is not types.NoneType]
    return [kind]


def _label(kind: Any) -> str:
    bare = _bare(kind)
    return bare.__name__ if isinstance(bare, type) else ""


def _is_within(path: tuple[str, ...], outer: tuple[str, ...]) -> bool:
    return len(path) > len(outer) and path[: len(outer)] == outer


def _message(error: Mapping[str, Any], place: _Found) -> str:
    kind, message = error["type"], str(error["msg"])
    if kind in _NOT_KNOWN:
        return _not_known(place.path[-1], place.owner)
    if kind == "missing":
        return "It is needed"
    if kind in _OBJECT:
        return f"{_IT}an object"
    if kind == "string_pattern_mismatch" and error.get("ctx", {}).get("pattern") == TEXT:
        return "It should not be blank"
    message = message.removeprefix("Value error, ").replace(_INPUT, _IT, 1)
    return message[:_LONGEST]


def _not_known(name: str, owner: Any) -> str:
    is_shape = isinstance(owner, type) and issubclass(owner, BaseModel)
    names = names_in(owner) if is_shape else {}
    return "It comes twice, under two of its names" if name in names else unknown(name, names)


def _joined(messages: Sequence[str]) -> str:
    """Return as one what several kinds say that a field could be of."""
    first, *others = dict.fromkeys(messages)
    return ", or ".join([first, *(one.removeprefix(_IT) for one in others)])
