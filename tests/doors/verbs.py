"""Any verb of the core that a tenant may be served by, as a value; wrong ones, too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from sextant.ask.question import Question
from sextant.core import Sextant
from sextant.errors import SextantError
from sextant.retrieval.feedback.opinions import OpinionOn
from sextant.retrieval.profiles.saved import Profile
from sextant.text.odata.filters import parse
from sextant.types import Scope, Walk, Weights
from tests.doors.requests import conversations, documents, entities, profiles, words
from tests.serve.rest.knowing import page

_DAY = datetime(2026, 10, 31, tzinfo=UTC)
Done = Callable[[Sextant, Scope, Any], Awaitable[Any]]


@dataclass(frozen=True)
class Verb:
    """What is done, and with what."""

    do: Done
    value: Any

    async def outcome(self, sextant: Sextant, scope: Scope) -> Any:
        """Return what comes of it, or how it is refused."""
        try:
            return await self.do(sextant, scope, self.value)
        except SextantError as error:
            return type(error), error.message, error.hint


async def _ask(sextant: Sextant, scope: Scope, question: Question) -> Any:
    return await sextant.ask(scope, question)


async def _search(sextant: Sextant, scope: Scope, question: Question) -> Any:
    return await sextant.search(scope, question)


async def _find(sextant: Sextant, scope: Scope, name: str) -> Any:
    return await sextant.find(scope, name), await sextant.entities(scope, [name])


async def _know(sextant: Sextant, scope: Scope, name: str) -> Any:
    return await sextant.known(scope, [name])


async def _expand(sextant: Sextant, scope: Scope, name: str) -> Any:
    around = await sextant.expand(scope, [name], Walk(hops=2))
    return around, await sextant.sentences(scope, [link.relation for link in around.links])


async def _list(sextant: Sextant, scope: Scope, after: str) -> Any:
    store = sextant.store
    return (
        await store.truth.documents(scope, after),
        await store.truth.counts(scope),
        await store.truth.commit(scope),
    )


async def _remove(sextant: Sextant, scope: Scope, name: str) -> Any:
    return await sextant.remove(scope, [name])


async def _write(sextant: Sextant, scope: Scope, name: str) -> Any:
    return await sextant.write(scope, [page(name, "Hub is here now.")])


async def _ingest(sextant: Sextant, scope: Scope, folder: Path) -> Any:
    report = await sextant.ingest(scope, [str(folder)])
    return report.added, report.updated, report.unchanged, report.entities, report.relations


async def _say(sextant: Sextant, scope: Scope, said: OpinionOn) -> Any:
    return await sextant.feedback(scope, said)


async def _save(sextant: Sextant, scope: Scope, profile: Profile) -> Any:
    return await sextant.save_profile(scope, profile), await sextant.profiles(scope)


async def _drop(sextant: Sextant, scope: Scope, name: str) -> Any:
    await sextant.delete_profile(scope, name)
    return await sextant.profiles(scope)


async def _recall(sextant: Sextant, scope: Scope, name: str) -> Any:
    listed = [(one.title, one.count) for one in await sextant.conversations(scope)]
    return listed, await sextant.conversation(scope, name)


async def _forget(sextant: Sextant, scope: Scope, name: str) -> Any:
    await sextant.forget_conversation(scope, name)
    return await sextant.conversation(scope, name)


@st.composite
def _questions(draw: st.DrawFn) -> Question:
    filter_ = draw(st.none() | st.just(parse("documentId eq 'theirs.md'")))
    return Question(
        draw(words),
        now=_DAY,
        filter=filter_,
        conversation=draw(conversations) or "",
        profile=draw(st.just("") | profiles),
    )


def verbs(folder: Path) -> st.SearchStrategy[Verb]:
    """Return any verb; what is taken in from outside lies in a folder."""
    names = conversations.filter(bool)
    verdicts = st.sampled_from(["helpful", "unhelpful", "withdrawn"])
    said = st.builds(
        lambda one, how: OpinionOn(f"document:{one}", how, at=_DAY), documents, verdicts
    )
    saved = st.builds(
        lambda name, recency: Profile(name, Weights(recency=recency), default=True),
        profiles,
        st.sampled_from([0.1, 0.9]),
    )
    return st.one_of(
        st.builds(Verb, st.sampled_from([_ask, _search]), _questions()),
        st.builds(Verb, st.sampled_from([_find, _know, _expand]), entities),
        st.builds(Verb, st.sampled_from([_list, _remove, _write]), documents),
        st.builds(Verb, st.just(_ingest), st.just(folder)),
        st.builds(Verb, st.just(_say), said),
        st.builds(Verb, st.just(_save), saved),
        st.builds(Verb, st.just(_drop), profiles),
        st.builds(Verb, st.sampled_from([_recall, _forget]), names),
    )
