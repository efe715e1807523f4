"""A question in other words, as a model would say it. Its words only find passages."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from sextant.ask.model_steps.step import Talk
from sextant.ask.model_steps.values import texts_in
from sextant.ask.workflow.nouns import Agent
from sextant.retrieval.recorder import Notes
from sextant.types import Schema

_MOST = 3


async def rephrased(
    talk: Talk, text: str, offline: tuple[str, ...], notes: Notes
) -> tuple[str, ...]:
    """Return the model's phrasings and our own, at most three, or our own alone."""
    reply = await talk.ask(_agent(), text, notes)
    if reply is None:
        return offline
    told = (one for one in texts_in(reply, "phrasings", _MOST) if one != text)
    return tuple(dict.fromkeys((*told, *offline)))[:_MOST]


@cache
def _agent() -> Agent:
    """Return the agent as it is shipped."""
    import yaml

    here = files(__package__)
    table = yaml.safe_load(here.joinpath("rephrase-agent.yaml").read_text("utf-8"))
    schema = json.loads(here.joinpath("rephrase-schema.json").read_text("utf-8"))
    return Agent(**table, schema=Schema("rephrase-schema", schema))
