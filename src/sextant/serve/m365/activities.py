"""From the body of a request to an activity that can be answered. Knows no answer.

What has no conversation or nowhere to reply to is refused over HTTP; nobody could be told of it.
"""

from __future__ import annotations

import logging
import re
from typing import Any

from microsoft_agents.activity import Activity, ActivityTypes, DeliveryModes
from pydantic import ValidationError

from sextant.errors import Forbidden, InvalidInput
from sextant.serve.m365.senders import channel_of
from sextant.serve.m365.tokens import Proof

_HINT = "Send an activity of the Bot Framework."
_UNSAFE_ID = re.compile(r"[/\\?#\s\x00-\x1f]|\.\.")
"""What would change the address that a reply is sent to: the SDK writes ids into it as they are."""
_LONGEST_ID = 1_000
_TAG = re.compile(r"</?at(?:\s[^>]{0,200})?>", re.IGNORECASE)
# It writes what cannot be read to the log, with the text of the message in it.
logging.getLogger("microsoft_agents.activity.activity").setLevel(logging.CRITICAL)
_SPACE = re.compile(r"[ \t\u00a0]+")


def read_activity(body: object, proof: Proof) -> Activity:
    """Return the activity of a body, if it is whole and its token speaks for its service."""
    if not isinstance(body, dict):
        raise InvalidInput("The body is not an activity.", _HINT)
    for name in ("type", "channelId", "serviceUrl"):
        _require(name, body.get(name))
    _require("conversation.id", _inner(body, "conversation", "id"))
    try:
        activity = Activity.model_validate(body)
    except ValidationError as error:
        place = ".".join(map(str, error.errors(include_url=False, include_input=False)[0]["loc"]))
        raise InvalidInput(f"The activity has a wrong {place or 'shape'}.", _HINT) from None
    except Exception as error:  # the SDK raises plain ones where a channel is named twice
        raise InvalidInput("The activity cannot be read.", _HINT) from error
    for name, value in (("conversation.id", activity.conversation.id), ("id", activity.id)):
        if value and (len(value) > _LONGEST_ID or _UNSAFE_ID.search(value)):
            raise InvalidInput(f"The activity has a wrong {name}.", _HINT)
    if activity.delivery_mode == DeliveryModes.stream:
        activity.delivery_mode = DeliveryModes.normal  # the SDK delivers nothing otherwise
    _check_proof(activity, proof)
    return activity


def answers_at_once(activity: Activity) -> bool:
    """Whether what is said goes back with the response, and not to the channel's service."""
    is_invoke = activity.type == ActivityTypes.invoke
    return is_invoke or activity.delivery_mode == DeliveryModes.expect_replies


def needs_service(activity: Activity) -> bool:
    """Whether the channel's service is called; the SDK opens a client for an invoke, too."""
    return bool(activity.delivery_mode != DeliveryModes.expect_replies)


def words_of(activity: Activity) -> str:
    """Return what somebody wrote, without who it was written to."""
    text = activity.remove_recipient_mention()
    return _SPACE.sub(" ", _TAG.sub("", text).replace("&nbsp;", " ")).strip()


def _check_proof(activity: Activity, proof: Proof) -> None:
    """Refuse an activity that names another service, or comes from another channel, than proved."""
    claimed = _address(activity.service_url or "")
    if proof.service_url and claimed and claimed != _address(proof.service_url):
        raise Forbidden("The activity names another service than its token.", "")
    if proof.channels and channel_of(activity) not in proof.channels:
        raise Forbidden("The token does not speak for the activity's channel.", "")


def _address(url: str) -> str:
    return url.rstrip("/").lower()


def _inner(body: dict[str, Any], name: str, inner: str) -> object:
    within = body.get(name)
    return within.get(inner) if isinstance(within, dict) else None


def _require(name: str, value: object) -> None:
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"The activity has no {name}.", _HINT)
