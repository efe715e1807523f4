"""Who lets questions go first waits for the last of them, and never for long."""

from __future__ import annotations

import asyncio

import pytest

from sextant.core.attention import Attention

LONG = 60.0
"""More seconds than anything here takes."""


async def test_the_last_question_is_waited_for() -> None:
    attention = Attention()
    with attention.given():
        waiting = asyncio.create_task(attention.quiet(LONG))
        with attention.given():
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not waiting.done()
    await waiting


async def test_where_nothing_is_asked_nothing_is_waited_for() -> None:
    await Attention().quiet(0.0)


async def test_a_question_that_takes_long_is_not_waited_for() -> None:
    attention = Attention()
    with attention.given():
        await attention.quiet(0.0)


async def test_a_question_that_fails_is_over() -> None:
    attention = Attention()
    with pytest.raises(ValueError, match="no"), attention.given():
        raise ValueError("no")
    await attention.quiet(LONG)
