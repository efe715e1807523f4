"""From a prompt to JSON that obeys a schema, with one repair. Knows no step and no provider."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sextant.errors import InvalidReply, ModelRefused
from sextant.ports import ChatModel
from sextant.prompting.reply import whole
from sextant.types import JsonObject, Message, Prompt, Reason, Reply, Schema, Speaker, Usage

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_SHOWN = 2_000
"""Characters of a wrong reply that a model is shown again."""

_NOTHING = "(nothing)"
"""Some providers take no empty message."""

_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Structured:
    """JSON as the schema wants it, what it cost, and how often it had to be asked for again."""

    value: JsonObject
    usage: Usage
    model: str
    retries: int
    repairs: int


async def structured(model: ChatModel, prompt: Prompt, repairs: int = 1) -> Structured:
    """Ask for JSON that obeys the prompt's schema; say once more what was wrong, then give up."""
    if prompt.schema is None:
        raise ValueError("A structured reply needs a schema.")
    usage, retries, wrong = Usage(), 0, ""
    for repair in range(repairs + 1):
        reply = await whole(model, prompt)
        usage += reply.ended.usage
        retries += reply.ended.retries
        wrong, value = read_reply(reply, prompt.schema)
        if value is not None:
            return Structured(value, usage, reply.ended.model, retries, repair)
        if repair < repairs:
            prompt = asked_again(prompt, reply, wrong)
    raise InvalidReply(
        f"The model's reply is not what was asked for: {wrong}", "Try again, or use another model."
    )


def read_reply(reply: Reply, schema: Schema) -> tuple[str, JsonObject | None]:
    """Return what is wrong with a reply, or what it says."""
    if reply.ended.reason == Reason.REFUSED:
        raise ModelRefused("The model declined to answer.", "Ask in other words.")
    if reply.ended.reason == Reason.LENGTH:
        return "it was cut off before its end.", None
    fenced = _FENCED.match(reply.text)
    try:
        value = json.loads(fenced[1] if fenced else reply.text)
        # NaN, numbers without end and halves of letters can be read, but are in no JSON.
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        wrong = _disobeys(value, schema)
    except (ValueError, RecursionError):
        return "it is no JSON.", None
    if not wrong and not isinstance(value, dict):
        wrong = "it is no JSON object."
    return (wrong, None) if wrong else ("", value)


def _disobeys(value: Any, schema: Schema) -> str:
    from jsonschema.exceptions import best_match

    error = best_match(_validator(json.dumps(schema.schema, sort_keys=True)).iter_errors(value))
    if error is None:
        return ""
    where = "".join(f"[{one!r}]" for one in error.absolute_path)
    return f"at {where or 'the top'}: {error.message[:200]}."


@lru_cache(maxsize=64)
def _validator(schema: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema))


def asked_again(prompt: Prompt, reply: Reply, wrong: str) -> Prompt:
    """Return the prompt with the reply to it, and what is wrong with that."""
    more = (
        Message(Speaker.ASSISTANT, reply.text[:_SHOWN].strip() or _NOTHING),
        Message(Speaker.USER, f"That cannot be used: {wrong} Reply again with the JSON alone."),
    )
    return replace(prompt, messages=(*prompt.messages, *more))
