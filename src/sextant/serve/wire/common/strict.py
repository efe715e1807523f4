"""Shapes of requests: a field that nobody knows is refused, so that no slip of the pen is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import InitErrorDetails, PydanticCustomError

from sextant.serve.wire.common.first_fault import Stopping

UNKNOWN = "unknown_field"
_MOST_UNKNOWN = 20
_LONGEST_SLIP = 100


def names_in(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a model by every name that a request may use for them."""
    return {name: field for own, field in model.model_fields.items() for name in _names(own, field)}


def spellings(model: type[BaseModel]) -> list[list[str]]:
    """Return all names of each field of a model."""
    return [list(_names(own, field)) for own, field in model.model_fields.items()]


def alike(name: str) -> str:
    """Return what names have in common that differ only in case and separators."""
    return "".join(filter(str.isalnum, name)).casefold()


class Closed(Stopping):
    """A shape that is refused with a field that it has not; of a million such, a few are told."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _with_few_unknown(cls, value: Any) -> Any:
        if not isinstance(value, Mapping) or len(value) <= len(cls.model_fields) + _MOST_UNKNOWN:
            return value
        known = names_in(cls)
        unknown = [name for name in value if name not in known]
        dropped = set(unknown[_MOST_UNKNOWN:])
        return {name: own for name, own in value.items() if name not in dropped}


class Open(Stopping):
    """A shape to which others add fields of their own, if none is a known one spelt otherwise."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _without_slips(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            names = names_in(cls)
            slips = {alike(name) for name in names}
            others = [str(one) for one in value if one not in names and len(one) < _LONGEST_SLIP]
            found = [one for one in others if alike(one) in slips]
            if found:
                details = [_unknown(name) for name in found[:_MOST_UNKNOWN]]
                raise ValidationError.from_exception_data(cls.__name__, details)
        return value


def _unknown(name: str) -> InitErrorDetails:
    error = PydanticCustomError(UNKNOWN, "There is no such field")
    return InitErrorDetails(type=error, loc=(name,), input=None)


def _names(own: str, field: FieldInfo) -> Iterator[str]:
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        yield from (one for one in alias.choices if isinstance(one, str))
    else:
        yield alias if isinstance(alias, str) else own
