"""A verb tells whoever traces it that it is done, for how long, and how it ended. Knows no verb."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from sextant.ask.question import Question, as_question
from sextant.spans import CONVERSATION, Facts, Tracer, is_traced, span, traced


class Traced(Protocol):
    """Whatever has verbs, and a tracer that is told of them."""

    @property
    def tracer(self) -> Tracer | None:
        """Who is told, if anybody."""


P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound=Traced)
About = Callable[..., Facts]
Verb = Callable[Concatenate[S, P], Awaitable[T]]


def nothing(*_: object, **__: object) -> Facts:
    """Say nothing of what a verb is given."""
    return {}


def asked(_: object, question: str | Question, *__: object, **___: object) -> Facts:
    """Say how long a question is and of which conversation it is a part; not what it says."""
    own = as_question(question)
    facts: dict[str, str | int] = {"sextant.question.characters": len(own.text)}
    return {**facts, CONVERSATION: own.conversation} if own.conversation else facts


def verb(
    about: About = nothing,
) -> Callable[[Verb[S, P, T]], Callable[Concatenate[S, P], Coroutine[Any, Any, T]]]:
    """Make a method a verb, with a span of its name."""

    def telling(method: Verb[S, P, T]) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
        name = f"sextant.{method.__name__}"

        @wraps(method)
        async def told(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            if self.tracer is None and not is_traced():
                return await method(self, *args, **kwargs)
            facts = about(*args, **kwargs)
            carried = {key: facts[key] for key in (CONVERSATION,) if key in facts}
            with traced(self.tracer, carried), span(name, facts):
                return await method(self, *args, **kwargs)

        return told

    return telling
