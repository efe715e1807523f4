"""What all wire models share: camelCase names, strict kinds, a limit for every field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaMode

from sextant.limits import DEFAULT, check_weights
from sextant.serve.wire.common.first_fault import Stopping
from sextant.serve.wire.common.strict import Closed
from sextant.types import Preferences, Scores, Weights

MOST_LISTED = 1_000
"""So many values a list in a request has at most."""

TEXT = r"[^\s\x00-\x20\x7f-\xa0]"
"""What a text fits that is not blank."""


def _whole(value: object) -> object:
    """Read 3.0 as 3, as JSON does not tell them apart."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole else value  # type: ignore[call-overload]


WHOLE = BeforeValidator(_whole)
"""What comes after the limits of a whole number, so that the schema tells them."""

Whole = Annotated[int, WHOLE]
Id = Annotated[str, Field(min_length=1, max_length=DEFAULT.id)]
Name = Annotated[str, Field(min_length=1, max_length=DEFAULT.name)]
Words = Annotated[str, Field(min_length=1, max_length=DEFAULT.query, pattern=TEXT)]
Ids = Annotated[list[Id], Field(max_length=MOST_LISTED)]
PersonaIds = Annotated[list[Id], Field(min_length=1, max_length=DEFAULT.personas)]
Weight = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
Unit = Annotated[float, Field(ge=0, le=1)]


PERSONA_ID: Any = Field(
    None,
    description="As whom; else all of its own.",
)
PERSONA_IDS: Any = Field(None)


def named_personas(one: str | None, several: Sequence[str] | None) -> frozenset[str]:
    """Return the personas that one place of a request names, in either of its two fields."""
    return frozenset([*([one] if one else []), *(several or ())])


class Wire(Stopping):
    """A noun on the wire. What is unknown is ignored, and "5" is no number."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        strict=True,
        frozen=True,
        serialize_by_alias=True,
    )


class Request(Closed, Wire):
    """What is sent to us: each field has one spelling, and what is unknown is refused."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False)


class WeightFields(Closed):
    """What each of the four R counts for, in either spelling."""

    relevancy: Weight | None = None
    recency: Weight | None = None
    richness: Weight | None = None
    reputation: Weight | None = None

    @property
    def preferences(self) -> Preferences:
        """The weights that are given."""
        return Preferences(self.relevancy, self.recency, self.richness, self.reputation)


class FourWeights(WeightFields, Request):
    """What each of the four R counts for; those left out are the profile's or as it is set."""


def weights_of(given: Preferences) -> Weights | Preferences:
    """Return weights as such where none is left open, and refuse those by which nothing ranks."""
    if not given.is_whole:
        return given
    weights = given.over(Weights())
    check_weights(weights)
    return weights


def four_of(four: Scores | Weights) -> dict[str, float]:
    """Return each of the four R as plain values."""
    return {
        "relevancy": four.relevancy,
        "recency": four.recency,
        "richness": four.richness,
        "reputation": four.reputation,
    }


def inlined(model: type[BaseModel], mode: JsonSchemaMode = "validation") -> dict[str, Any]:
    """Return a model's schema as one piece, for where nobody gathers the parts."""
    schema = model.model_json_schema(mode=mode)
    parts = schema.pop("$defs", {})

    def whole(value: Any) -> Any:
        if isinstance(value, list):
            return [whole(one) for one in value]
        if not isinstance(value, dict):
            return value
        own = {name: one for name, one in value.items() if name != "$ref"}
        if "$ref" in value:
            return whole(parts[value["$ref"].rpartition("/")[2]] | own)
        return {name: whole(one) for name, one in own.items()}

    found: dict[str, Any] = whole(schema)
    return found


class FieldProblem(Wire):
    """What is wrong with one field."""

    field: str
    message: str


class Problem(Wire):
    """What went wrong and what to do, as RFC 9457 tells it."""

    type: str = Field(examples=["urn:sextant:not_found"])
    title: str = Field(examples=["Not found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["There is no document 'a.md'."])
    hint: str = Field(examples=["List documents to see which there are."])
    code: str = Field(examples=["not_found"])
    request_id: str = Field(examples=["01JC4ZQ2Q5"])
    errors: list[FieldProblem] = Field([], description="Of a request that has the wrong shape.")
