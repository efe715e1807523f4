"""POST /api/ask with `tools`: the same answer, with the tools that carry it out."""

from __future__ import annotations

import json
from pathlib import Path

from sextant.toolbox.catalogue.sources import DataSource
from tests.serve.jobs.working import in_loop
from tests.serve.rest.knowing import DAY, EVERYONE, SEED_QUESTION, door, events_in, told, untimed


@in_loop
async def test_a_reply_ends_with_tools_only_where_they_are_asked_for(
    sample: Path, tmp_path: Path
) -> None:
    async with door(tmp_path, sample) as one:
        plain = await one.ask(SEED_QUESTION)
        statement = plain["statements"][0]
        tool = {"id": "ops.act", "name": statement["text"], "description": statement["text"]}
        source = DataSource("ops", json.dumps({"tools": [tool]}).encode(), "ops.json")
        await one.server.house.sextant.toolbox.import_tools(EVERYONE, [source])
        full = await one.ask(SEED_QUESTION, tools=True)
        found = full.pop("tools")
        assert "tools" not in plain
        assert untimed(full) == untimed(plain)
        (first,) = [own for own in found if own["tool"] == "ops.act"]
        assert (first["statement"], first["label"]) == (statement["text"], statement["labels"][0])
        body = {"query": SEED_QUESTION, "now": DAY, "tools": True}
        streamed = await one.client.post(
            "/api/ask", json=body, headers={"Accept": "text/event-stream"}
        )
        *_, (name, done) = events_in(streamed.text)
        assert (name, done["tools"]) == ("done", found)


@in_loop
async def test_a_reply_with_tools_can_be_sent_back_as_feedback(
    sample: Path, tmp_path: Path
) -> None:
    async with door(tmp_path, sample) as one:
        reply = await one.ask(SEED_QUESTION, tools=True)
        body = {"verdict": "helpful", "answer": reply}
        told(await one.client.post("/api/feedback", json=body))
