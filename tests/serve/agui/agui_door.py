"""A door that knows AG-UI alone."""

from __future__ import annotations

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from sextant.serve.agui.app import AguiApp
from sextant.serve.agui.refusals import refusal
from sextant.serve.door import Door, limits_of
from sextant.serve.house import House
from sextant.serve.identity.bearer import Bearer

ROOT = "/copilotkit"


def open_door(house: House) -> Door:
    """Return the door: methods by path below the root, by envelope at the root."""
    agui = AguiApp(house)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == ROOT:
            await agui.envelope(scope, await Request(scope, receive).json(), receive, send)
        else:
            await agui(scope, receive, send)

    return Door(
        name="copilotkit",
        paths=(ROOT, f"{ROOT}/*"),
        app=app,
        scheme=Bearer(house.identity, house.settings),
        limits=limits_of(house.settings.serve),
        error_form=refusal,
        ends_own_work=True,
    )
