"""Rates: a caller comes so often, another one is not held up by that, and rest brings it back."""

from __future__ import annotations

import asyncio

from sextant.serve.guards.limits.rates import Rates
from tests.serve.guards.guarding import BEARER, guarding
from tests.serve.guards.rooms import echo
from tests.serve.raw import connected, request

_GET = request("GET /api/x HTTP/1.1", [BEARER])


def test_a_bucket_empties_and_fills_again_with_time() -> None:
    now = 0.0
    rates = Rates(60, clock=lambda: now)
    assert [rates.take("a") for _ in range(60)] == [0.0] * 60
    assert rates.take("a") == 1.0
    assert rates.take("b") == 0.0
    now = 0.5
    assert rates.take("a") == 0.5
    now = 2.0
    assert [rates.take("a") for _ in range(3)] == [0.0, 0.0, 1.0]
    now = 1e9
    assert [rates.take("a") > 0 for _ in range(61)] == [False] * 60 + [True]


def test_buckets_are_bounded_and_the_one_that_rested_longest_goes() -> None:
    rates = Rates(1, most=2, clock=lambda: 0.0)
    assert [rates.take(whose) > 0 for whose in ("a", "b", "c", "b", "a")] == [
        False,
        False,
        False,
        True,
        False,
    ]


def test_a_caller_that_comes_too_often_is_told_when_to_come_again() -> None:
    async def task() -> list[int]:
        async with (
            guarding(echo, requests_per_minute=3) as server,
            connected(server.port) as client,
        ):
            heard = []
            for _ in range(4):
                await client.say(_GET)
                heard.append(await client.hear())
            await client.say(request())
            assert (await client.hear()).status == 200
            assert heard[-1].problem["code"] == "rate_limited"
            assert 0 < int(heard[-1].headers["retry-after"]) <= 20
            return [one.status for one in heard]

    assert asyncio.run(task()) == [200, 200, 200, 429]


def test_drivers_that_need_no_token_are_not_counted() -> None:
    async def task() -> set[int]:
        async with (
            guarding(echo, auth="none", requests_per_minute=1) as server,
            connected(server.port) as client,
        ):
            statuses = set()
            for _ in range(5):
                await client.say(_GET)
                statuses.add((await client.hear()).status)
            return statuses

    assert asyncio.run(task()) == {200}
