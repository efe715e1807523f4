"""What shapes with PascalCase names share: the spelling, the bounds, and for whom they ask."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import (
    AliasChoices,
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel, to_pascal

from sextant.limits import DEFAULT
from sextant.serve.caller import Wanted
from sextant.serve.wire.common.models import PERSONA_ID, PERSONA_IDS, PersonaIds, named_personas
from sextant.serve.wire.common.strict import Closed

WIDEST = 8_192
"""No embedder here makes vectors of more numbers."""
LARGEST = 3e38
"""No number of a vector is larger: in 32 bits it would have no end."""
_MOST_VALUES = 1_000


def _moment(value: object) -> object:
    """Read a time as ISO 8601 writes it; without an offset it is in UTC."""
    try:
        moment = datetime.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        raise ValueError("a time is written such as 2026-01-31T00:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


Id = Annotated[str, Field(max_length=DEFAULT.id)]
Name = Annotated[str, Field(min_length=1, max_length=DEFAULT.id)]
Names = Annotated[list[Name], Field(max_length=_MOST_VALUES)]
Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time", "maxLength": 64}, mode="validation"),
]
Text = Annotated[str, Field(min_length=1, max_length=DEFAULT.text)]
Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Vector = Annotated[list[Number], Field(min_length=1, max_length=WIDEST)]


def _either(name: str) -> AliasChoices:
    return AliasChoices(to_pascal(name), to_camel(name))


class Pascal(Closed):
    """Fields in PascalCase on the wire; camelCase is understood, and what is unknown is refused."""

    model_config = ConfigDict(
        alias_generator=AliasGenerator(validation_alias=_either, serialization_alias=to_pascal),
        extra="forbid",
        strict=True,
        frozen=True,
    )


class PascalReply(BaseModel):
    """What is answered in PascalCase; we make it ourselves, by the names of its fields."""

    model_config = ConfigDict(
        alias_generator=to_pascal, validate_by_name=True, validate_by_alias=False, frozen=True
    )


class Asked(Pascal):
    """A request, and for whom it is made; both come from the token where they are left out."""

    tenant_id: Id = Field("", description="The caller's own.")
    persona_id: Id | None = PERSONA_ID
    persona_ids: PersonaIds | None = PERSONA_IDS

    @property
    def wanted(self) -> Wanted:
        """For whom the request says that it asks."""
        return Wanted(self.tenant_id, named_personas(self.persona_id, self.persona_ids))

    @property
    def subject(self) -> str:
        """What the audit log says was asked or named."""
        return ""
