"""For whom an activity asks: the person and the directory that its channel vouches for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microsoft_agents.activity import Activity, ChannelAccount

from sextant.errors import Forbidden, InvalidInput
from sextant.serve.caller import Wanted
from sextant.serve.m365.tokens import Proof
from sextant.settings import M365TenantSettings, Settings

TEAMS = "msteams"
"""The channel of Teams and of Microsoft 365 Copilot, the only one that knows people by Entra ID."""


class Senders:
    """Knows which directory may ask for which tenant, and as which personas."""

    def __init__(self, settings: Settings) -> None:
        self._m365, self._home = settings.m365, settings.serve.tenant
        own = [M365TenantSettings(self._m365.tenant_id)] if self._m365.tenant_id else []
        self._directories = {one.id.lower(): one for one in (*own, *self._m365.tenants)}

    def wanted(self, activity: Activity, proof: Proof) -> Wanted:
        """Return for whom an activity asks, or refuse it in words for a person."""
        if self._m365.anonymous:
            known = self._directories.get(directory_named(activity), M365TenantSettings(""))
            return self._wanted(known, _user_of(activity, is_vouched=True))
        channel = channel_of(activity)
        if channel not in self._m365.channels:
            raise Forbidden(
                "This assistant does not answer here.", "Ask it in Teams or Microsoft 365 Copilot."
            )
        is_teams = channel == TEAMS
        found = self._directory(activity, proof) if is_teams else self._own_directory()
        return self._wanted(found, _user_of(activity, is_vouched=is_teams))

    def _wanted(self, directory: M365TenantSettings, user: str) -> Wanted:
        return Wanted(directory.tenant or self._home, frozenset(directory.personas), user)

    def _directory(self, activity: Activity, proof: Proof) -> M365TenantSettings:
        named = directory_named(activity)
        if proof.directory and named != proof.directory:
            raise Forbidden("The message is from another organisation than its sender.", "")
        found = self._directories.get(named)
        if found is None:
            raise Forbidden(
                "Your organisation has not been set up for this assistant.",
                "Ask whoever runs it to let your organisation in.",
            )
        return found

    def _own_directory(self) -> M365TenantSettings:
        return self._directories.get(self._m365.tenant_id.lower()) or M365TenantSettings("")


def channel_of(activity: Activity) -> str:
    """Return the channel of an activity, without its part behind the colon."""
    return activity.channel_id.channel if activity.channel_id else ""


def directory_named(activity: Activity) -> str:
    """Return the directory that an activity names; two places that disagree are refused."""
    data: Mapping[str, Any] = (
        activity.channel_data if isinstance(activity.channel_data, dict) else {}
    )
    tenant = data.get("tenant")
    places = [
        activity.conversation.tenant_id,
        tenant.get("id") if isinstance(tenant, dict) else None,
    ]
    named = {one.lower() for one in places if isinstance(one, str) and one}
    if len(named) > 1:
        raise Forbidden("The message names two organisations.", "")
    return next(iter(named), "")


def _user_of(activity: Activity, *, is_vouched: bool) -> str:
    """Return who wrote; an id that only its channel knows never stands for one of Entra ID."""
    sender: ChannelAccount | None = activity.from_property
    if is_vouched and sender is not None and sender.aad_object_id:
        return sender.aad_object_id.lower()
    if sender is None or not sender.id:
        raise InvalidInput("The message does not say who wrote it.", "Write it again.")
    return f"{channel_of(activity) or 'unknown'}:{sender.id}"
