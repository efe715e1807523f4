"""For whom a request says that it asks: the same few names in every body. Knows no caller."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from sextant.serve.caller import Wanted, agreed
from sextant.serve.wire.common.models import (
    PERSONA_ID,
    PERSONA_IDS,
    Id,
    PersonaIds,
    Request,
    Wire,
    named_personas,
)
from sextant.serve.wire.common.strict import Open

_LOCALE = r"^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$"


class AskedBy(Open, Wire):
    """For whom it is asked; only a caller with the role OnBehalf may name somebody else.

    Other fields that a copilot puts here are not read.
    """

    model_config = ConfigDict(populate_by_name=False)

    aad_object_id: Id | None = Field(
        None,
        description="The user's id in the directory.",
    )


class AskContext(Open, Wire):
    """Where it is asked; the tenant must be the token's own.

    Other fields that a copilot puts here are not read.
    """

    model_config = ConfigDict(populate_by_name=False)

    tenant_id: Id | None = Field(None, description="The tenant.")
    persona_id: Id | None = None
    persona_ids: PersonaIds | None = None
    locale: Annotated[str, Field(max_length=35, pattern=_LOCALE)] | None = Field(
        None,
        description="For fixed sentences and dates, such as en-US or de.",
    )


class Whom(Request):
    """A request that may say for whom it asks, at its top, or in user and context."""

    tenant_id: Id | None = Field(None, description="The tenant; else the token's own.")
    persona_id: Id | None = PERSONA_ID
    persona_ids: PersonaIds | None = PERSONA_IDS
    user: AskedBy | None = None
    context: AskContext | None = None

    @property
    def places(self) -> tuple[Wanted, ...]:
        """For whom each place of the request says that it asks."""
        top = Wanted(self.tenant_id or "", named_personas(self.persona_id, self.persona_ids))
        return (top, *within(self.user, self.context))

    @property
    def wanted(self) -> Wanted:
        """For whom the request says that it asks."""
        return agreed(None, *self.places)


def within(user: AskedBy | None, context: AskContext | None) -> tuple[Wanted, Wanted]:
    """Return for whom user and context say that it is asked."""
    of_user = Wanted(user=(user and user.aad_object_id) or "")
    if context is None:
        return of_user, Wanted()
    personas = named_personas(context.persona_id, context.persona_ids)
    return of_user, Wanted(context.tenant_id or "", personas)


def locale_of(context: AskContext | None) -> str:
    """Return the language that is asked in, if any."""
    return (context and context.locale) or ""
