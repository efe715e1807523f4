"""REST as a door: whole replies, or the end of a stream."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import httpx2

from sextant.settings import Settings
from sextant.types import Weights
from tests.doors import shapes
from tests.doors.calls import DAY, Ask, Call, Expand, LookUp, Search
from tests.doors.door import NOBODY, OTHERS, Door, No
from tests.serve.rest.knowing import events_in
from tests.serve.running import served

_NOT_FOUND = 404


@asynccontextmanager
async def rest(
    settings: Settings, user: str, accept: str = "application/json"
) -> AsyncIterator[Rest]:
    """Serve, and come in with the printed token."""
    async with served(settings) as server, server.client() as client:
        yield Rest(client, user, accept)


class Rest(Door):
    """A door that sends JSON."""

    def __init__(self, client: httpx2.AsyncClient, user: str, accept: str) -> None:
        self._client, self._user, self._accept = client, user, accept

    async def ask(self, call: Ask) -> shapes.Answered:
        *before, last = ask_bodies(call, self._user)
        for body in before:
            await self._post("/api/ask", body, accept=self._accept)
        return shapes.answered(await self._post("/api/ask", last, accept=self._accept))

    async def search(self, call: Search) -> shapes.Found:
        told = await self._post("/api/search", search_body(call))
        way = json.loads(told["debugInformation"])
        return shapes.Found(tuple(map(_ranked, told["results"])), shapes.told_trail(way))

    async def look_up(self, call: LookUp) -> shapes.Known | shapes.Refused:
        personas = {"personaId": list(call.personas)}
        found = await self._got("/api/entities", name=call.name, limit=1 + OTHERS, **personas)
        first, *others = found["entities"] or [None]
        if first is None:
            return NOBODY
        page = await self._got(f"/api/entities/{quote(first['id'])}", limit=call.limit, **personas)
        return shapes.known(page, others)

    async def expand(self, call: Expand) -> shapes.Around:
        return shapes.around(await self._post("/api/expand", expand_body(call)))

    async def _got(self, path: str, **query: str | int | list[str]) -> Any:
        return _told(await self._client.get(path, params=query))

    async def _post(self, path: str, body: Any, accept: str = "application/json") -> Any:
        return _told(await self._client.post(path, json=body, headers={"accept": accept}))


def personas_of(call: Call) -> dict[str, Any]:
    """Return as whom a call is made: one by itself, several as a list."""
    if len(call.personas) > 1:
        return {"personaIds": list(call.personas)}
    return {"personaId": call.personas[0]} if call.personas else {}


def ask_bodies(call: Ask, user: str) -> list[dict[str, Any]]:
    """Return the requests of a conversation, of which the last is what is asked."""
    common: dict[str, Any] = {
        "user": {"aadObjectId": user},
        "now": DAY.isoformat(),
        "trace": "full",
    }
    if call.before:
        common["conversationId"] = call.query
    common |= personas_of(call)
    last: dict[str, Any] = {"query": call.query, "topK": call.top_k, "rephrase": call.rephrase}
    last |= {"context": {"tenantId": "default", "locale": call.locale or None}}
    if call.filter:
        last["filter"] = call.filter
    if call.weights or call.profile:
        last["rankingPrefs"] = weights_of(call.weights) if call.weights else call.profile
    return [*({"query": one, **common} for one in call.before), {**common, **last}]


def expand_body(call: Expand) -> dict[str, Any]:
    """Return the request for a walk."""
    return {
        "entityIds": list(call.entity_ids),
        "hops": call.hops,
        "direction": call.direction,
        "kinds": list(call.kinds),
        "limit": call.limit,
    }


def search_body(call: Search) -> dict[str, Any]:
    """Return a search in the short names of REST; what it leaves out is as the protocol has it."""
    body: dict[str, Any] = {"query": call.query, "topK": call.top_k}
    if call.candidates != Search.candidates:
        body["topKInitialRetrieve"] = call.candidates
    body |= personas_of(call)
    if call.weights or call.profile:
        body["rankingPrefs"] = weights_of(call.weights) if call.weights else call.profile
    if call.filter:
        body["filter"] = call.filter
    return {**body, "expandQueryWithLlm": True} if call.rephrase else body


def weights_of(weights: Weights) -> dict[str, float]:
    """Return weights as JSON has them."""
    return {
        "relevancy": weights.relevancy,
        "recency": weights.recency,
        "richness": weights.richness,
        "reputation": weights.reputation,
    }


def _told(reply: httpx2.Response) -> Any:
    if reply.headers["content-type"].startswith("text/event-stream"):
        *_, (name, told) = events_in(reply.text)
        is_well = name == "done"
    else:
        told, is_well = reply.json(), reply.is_success
    if not is_well:
        raise No(f"{told['detail']} {told['hint']}")
    return told


def _ranked(told: shapes.Plain) -> shapes.Ranked:
    scores = told["scores"]
    assert told["individualScores"] == scores
    assert (told["overallRankScore"], told["personaKnowledgeEntryId"]) == (
        told["score"],
        told["chunkId"],
    )
    return shapes.Ranked(
        told["chunkId"],
        told["documentId"],
        told["score"],
        (scores["relevancy"], scores["recency"], scores["richness"], scores["reputation"]),
        told["title"],
        told["url"],
        told["sourceType"],
        told["snippet"],
    )
