"""The buttons under an answer: what a person presses becomes feedback on that answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from microsoft_agents.activity import Activity

from sextant.errors import InvalidInput
from sextant.limits import DEFAULT

SUBMIT = "message/submitAction"
"""The invoke that Teams sends when somebody presses a button of the feedback loop."""
_VERDICTS = {"like": "helpful", "dislike": "unhelpful"}


def is_feedback(activity: Activity) -> bool:
    """Whether an invoke is about what an answer was worth."""
    return activity.name == SUBMIT and _value(activity).get("actionName") == "feedback"


def opinion_in(activity: Activity) -> tuple[str, str, str]:
    """Return the message that is meant, the verdict on it, and the comment."""
    given = _value(activity).get("actionValue")
    given = given if isinstance(given, Mapping) else {}
    verdict = _VERDICTS.get(str(given.get("reaction", "")))
    if not verdict or not activity.reply_to_id:
        raise InvalidInput(
            "The feedback does not say what it is about.", "Use the buttons under an answer."
        )
    return activity.reply_to_id, verdict, _comment(given.get("feedback"))


def _value(activity: Activity) -> Mapping[str, Any]:
    return activity.value if isinstance(activity.value, Mapping) else {}


def _comment(given: object) -> str:
    """Return what somebody wrote beside the button; it comes as JSON within JSON."""
    try:
        read = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        read = {"feedbackText": given}
    text = read.get("feedbackText") if isinstance(read, Mapping) else None
    return text[: DEFAULT.name] if isinstance(text, str) else ""
