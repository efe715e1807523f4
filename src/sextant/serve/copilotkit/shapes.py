"""Bodies of copilots as the shapes that their protocols have. Knows no protocol."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

from sextant.errors import InvalidInput
from sextant.serve.wire.common.faults import faults_of
from sextant.serve.wire.common.models import Wire

S = TypeVar("S", bound=Wire)


def read_shape(kind: type[S], body: object, hint: str) -> S:
    """Return a body as what it has to be, or say which field is wrong."""
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        fault = faults_of(error.errors(include_url=False, include_input=False), kind)[0]
        place = fault.field or "body"
        raise InvalidInput(
            f"The request has the wrong shape: {place}: {fault.message.rstrip('.')}.", hint
        ) from None
