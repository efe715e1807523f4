"""What an endpoint takes of a request, by its signature: parts of the address, headers, a body.

An argument says by a mark where its value stands, and by pydantic's ``Field`` what it may be.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import Request

from sextant.serve.rest.request.refusals import misshapen
from sextant.serve.wire.common.faults import faults_of

REQUEST, BODY = "request", "body"
_QUERY, _PATH, _HEADER = "query", "path", "header"
_NEEDED = inspect.Parameter.empty
Error = Mapping[str, Any]
"""What is wrong with a value, as pydantic tells it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Says in which part of a request a value stands, under which name: else the argument's."""

    place: str
    name: str = ""


def in_query(name: str = "") -> Mark:
    """Mark a value of the query."""
    return Mark(_QUERY, name)


def in_path() -> Mark:
    """Mark a part of the path."""
    return Mark(_PATH)


def in_header(name: str) -> Mark:
    """Mark the value of a header."""
    return Mark(_HEADER, name)


@dataclass(frozen=True, slots=True)
class Together:
    """Marks an argument that a function makes of several values, which are its own arguments."""

    make: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One value: for which argument, where it stands, what it may be."""

    argument: str
    mark: Mark
    kind: TypeAdapter[Any]
    default: Any
    is_list: bool = False
    """Whether a query may give it several times."""

    @property
    def name(self) -> str:
        """What a request calls it."""
        return self.mark.name or self.argument

    @property
    def is_query(self) -> bool:
        """Whether it stands in the query."""
        return self.mark.place == _QUERY

    def value(self, request: Request, errors: list[Error]) -> Any:
        """Return what a request says, or else what is usual; what is wrong is added to errors."""
        given = self._given(request)
        if given is None and self.default is _NEEDED:
            errors.append({"type": "missing", "loc": (self.name,), "msg": ""})
        elif given is not None:
            try:
                return self.kind.validate_python(given)
            except ValidationError as error:
                errors += ({**one, "loc": (self.name, *one["loc"])} for one in error.errors())
        return self.default

    def described(self) -> dict[str, Any]:
        """Return it as OpenAPI lists it."""
        schema = self.kind.json_schema()
        if self.default not in (_NEEDED, None):
            schema["default"] = self.default
        return {
            "name": self.name,
            "in": self.mark.place,
            "required": self.default is _NEEDED,
            "description": schema.get("description", ""),
            "schema": schema,
        }

    def _given(self, request: Request) -> str | list[str] | None:
        if self.is_query:
            return self._asked(request) if request.scope["query_string"] else None
        if self.mark.place == _PATH:
            return str(request.path_params[self.name])
        return request.headers.get(self.name)

    def _asked(self, request: Request) -> str | list[str] | None:
        if self.is_list:
            return request.query_params.getlist(self.name) or None
        return request.query_params.get(self.name)


@dataclass(frozen=True, slots=True)
class Signature:
    """All that an endpoint takes; those values that go together stand apart."""

    own: tuple[Parameter, ...]
    together: Mapping[str, tuple[Together, tuple[Parameter, ...]]]
    body: type[BaseModel] | None

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All values beside the body, those of the path first."""
        found = (*self.own, *(one for _, parts in self.together.values() for one in parts))
        return tuple(sorted(found, key=lambda one: (_PATH, _QUERY, _HEADER).index(one.mark.place)))

    def arguments(self, request: Request, body: Any) -> dict[str, Any]:
        """Return what to call the endpoint with, or refuse the request with all that is wrong."""
        errors: list[Error] = []
        values = {one.argument: one.value(request, errors) for one in self.own}
        for argument, (group, parts) in self.together.items():
            given = {one.argument: one.value(request, errors) for one in parts}
            values[argument] = group.make(**given)
        faults = faults_of(errors, None)
        if self.body:
            try:
                values[BODY] = self.body.model_validate(body)
            except ValidationError as error:
                faults += faults_of(error.errors(include_url=False), self.body)
        if faults:
            raise misshapen(faults)
        return {REQUEST: request, **values}


def signature_of(endpoint: Callable[..., Any]) -> Signature:
    """Return what an endpoint takes beside the request."""
    own: list[Parameter] = []
    together: dict[str, tuple[Together, tuple[Parameter, ...]]] = {}
    hints = get_type_hints(endpoint, include_extras=True)
    for argument, one in inspect.signature(endpoint).parameters.items():
        mark = _mark_of(hints[argument])
        if isinstance(mark, Together):
            together[argument] = (mark, signature_of(mark.make).own)
        elif mark:
            hint = hints[argument]
            is_list = get_origin(get_args(hint)[0]) is tuple
            own.append(Parameter(argument, mark, TypeAdapter(hint), one.default, is_list))
    return Signature(tuple(own), together, hints.get(BODY))


def _mark_of(hint: Any) -> Mark | Together | None:
    marks = (one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Mark | Together))
    return next(marks, None)
