"""The class Sextant: a verb is one delegating line or two. Knows ports, no adapter and no door."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from sextant.ask import flow
from sextant.ask.conversations.sent_answers import find_sent, keep_sent, with_verdict
from sextant.ask.conversations.turns import (
    forget_turns,
    list_conversations,
    read_turns,
    recalled,
    remembered,
    silent_on_answers,
)
from sextant.ask.question import ANY, Means, Question, as_question
from sextant.ask.record.load import Saved
from sextant.ask.record.opinion import said_of
from sextant.core.attention import Attention
from sextant.core.closing import Closing
from sextant.core.searches import Searches
from sextant.core.verb import asked, verb
from sextant.core.wanted import Wanted
from sextant.errors import ConfigError
from sextant.limits import check_asker, check_changes, check_ids
from sextant.ports import Embedder, Extractor, Progress, Store
from sextant.retrieval.events import Emit, ignore
from sextant.retrieval.feedback.folding import Folded, folded_of
from sextant.retrieval.feedback.opinions import OpinionOn, record
from sextant.retrieval.feedback.use import Kind, count_use
from sextant.retrieval.profiles.saved import (
    Check,
    Profile,
    agree,
    delete_profile,
    read_profiles,
    save_profile,
)
from sextant.settings import Settings
from sextant.spans import Tracer
from sextant.text.embedding import embed_chunks
from sextant.text.passages import embeddables
from sextant.text.words import Words
from sextant.types import (
    Answer,
    Change,
    Entity,
    NameMatch,
    NameMode,
    Neighbourhood,
    Put,
    Ranked,
    Receipt,
    Relation,
    RunReport,
    Scope,
    ThreadSummary,
    Turn,
    Walk,
)

if TYPE_CHECKING:
    from sextant.ask.evaluate.cases import Case
    from sextant.ask.evaluate.score import Evaluation
    from sextant.ask.model_steps.chat import Chat
    from sextant.ask.record.verify import Verification
    from sextant.chat.links import CopilotLinks
    from sextant.core.copilot import Copilot
    from sextant.core.curation import (
        Curation,
        Isolation,
        Keeper,
        Options,
        Pace,
        Record,
        Report,
        Tell,
        Vectors,
    )
    from sextant.core.gateway import Gateway
    from sextant.core.orchestration import Orchestration
    from sextant.core.toolbox import Toolbox
    from sextant.ingest.report import Emit as Hear


@dataclass(frozen=True, slots=True)
class Sextant(Closing):
    """An open store, an open embedder, and models if any.

    Use it as ``async with await open_sextant() as sextant:``.
    """

    store: Store
    embedder: Embedder
    settings: Settings
    extractor: Extractor | None = None
    chat: Chat | None = None
    tracer: Tracer | None = None
    cached_searches: int = 0
    keeps_readers: bool = False
    copilot_links: CopilotLinks | None = None
    wanted: Wanted = field(init=False, default_factory=Wanted, repr=False, compare=False)
    """What was asked about and has no vectors yet."""
    attention: Attention = field(init=False, default_factory=Attention, repr=False, compare=False)
    """What is being answered, for which other work may wait."""
    _keepers: dict[str, Keeper] = field(init=False, default_factory=dict, repr=False, compare=False)
    _folded: dict[str, Folded] = field(init=False, default_factory=dict, repr=False, compare=False)
    _isolations: list[Isolation] = field(
        init=False, default_factory=list, repr=False, compare=False
    )
    """The processes that read, if they are kept and anything was taken in."""
    _toolboxes: list[Toolbox] = field(init=False, default_factory=list, repr=False, compare=False)
    """The toolbox, once it was asked for: its indexes are shared by all who ask."""
    _copilots: list[Copilot] = field(init=False, default_factory=list, repr=False, compare=False)
    """The copilot, once it was asked for: it holds the runs that are under way."""
    _run_listeners: list[Callable[[RunReport], None]] = field(
        init=False, default_factory=list, repr=False, compare=False
    )
    _means: Means = field(init=False, repr=False, compare=False)
    _searches: Searches = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        words = Words(self.settings.keyword.language)
        parts = self.store, self.embedder, self.settings, words
        means = Means(*parts, chat=self.chat, note_unembedded=self.wanted.note_asked)
        object.__setattr__(self, "_means", means)
        object.__setattr__(self, "_searches", Searches(self.store, self.cached_searches))

    @verb()
    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Embed what comes without vectors, and make all changes durable under one commit."""
        check_changes(changes, self.settings.limits)
        ready = [await self._embedded(one) if isinstance(one, Put) else one for one in changes]
        return await self.store.truth.write(scope, ready)

    @verb(asked)
    async def ask(self, scope: Scope, question: str | Question, emit: Emit = ignore) -> Answer:
        """Answer a question with what the scope sees, each part cited, or say what is missing.

        Whoever listens hears each step, then the text in pieces, the citations and the answer. The
        answer to a question of a conversation is told once it is remembered.
        """
        folded = self._folded_of(scope)
        own = await recalled(self.store.records, scope, as_question(question))
        hear = silent_on_answers(emit) if own.conversation else emit
        with self.attention.given():
            answer = await flow.ask(self._means, scope, own, folded, hear)
        if self.settings.ask.count_use and answer.citations:
            cited = [citation.document_id for citation in answer.citations]
            await count_use(self.store, scope, Kind.CITED, cited)
        if own.conversation:
            answer = await remembered(self.store, scope, own, answer, emit)
            emit(answer)
        return answer

    @verb(asked)
    async def search(self, scope: Scope, question: str | Question, emit: Emit = ignore) -> Ranked:
        """Rank the passages that a question needs: the line, stopped before it answers."""
        folded = self._folded_of(scope)
        own = await recalled(self.store.records, scope, as_question(question))
        with self.attention.given():
            return await self._searches.search(self._means, scope, own, folded, emit)

    @verb()
    async def conversation(self, scope: Scope, name: str) -> Sequence[Turn]:
        """Return what is remembered of a conversation of the scope's user, as its personas."""
        self._check_conversation(scope, name)
        return await read_turns(self.store.records, scope, name)

    @verb()
    async def conversations(
        self, scope: Scope, after: str = "", limit: int = 100
    ) -> Sequence[ThreadSummary]:
        """List conversations of the scope's user, as its personas, the last one spoken in first.

        The title of each is its name; a page starts after the cursor of the last one before it.
        """
        check_asker(scope, self.settings.limits)
        return await list_conversations(self.store.records, scope, after, limit)

    @verb()
    async def forget_conversation(self, scope: Scope, name: str) -> None:
        """Forget a conversation of the scope's user, as its personas."""
        self._check_conversation(scope, name)
        await forget_turns(self.store.records, scope, name)

    @verb()
    async def verify(self, scope: Scope, answer: Answer, digest: str = "") -> Verification:
        """Check a saved answer against the store: every quote, every edge, every label."""
        from sextant.ask.record.verify import Measure, verify

        by = Measure(self._means.words, self.embedder)
        return await verify(self.store, scope, answer, digest, by)

    @verb()
    async def evaluate(
        self,
        scope: Scope,
        cases: Sequence[Case],
        like: Question = ANY,
        progress: Progress | None = None,
    ) -> Evaluation:
        """Ask a set of questions, each as its own persona, and score the answers."""
        from sextant.ask.evaluate.cases import question_of
        from sextant.ask.evaluate.score import evaluate

        async def answer(case: Case) -> Answer:
            asking = replace(scope, personas=case.personas or scope.personas)
            asked = question_of(case, like)
            return await flow.ask(self._means, asking, asked, self._folded_of(scope))

        return await evaluate(answer, cases, progress)

    @verb()
    async def feedback(self, scope: Scope, said: OpinionOn) -> int:
        """Note what somebody thinks of an answer or a document; the next question feels it."""
        check_asker(scope, self.settings.limits)
        return await record(self.store, scope, said)

    async def feedback_on_answer(
        self,
        scope: Scope,
        saved: Saved,
        verdict: str,
        *,
        source: str = "",
        comment: str = "",
        at: datetime | None = None,
    ) -> int:
        """Note what somebody thinks of a saved answer, or of one source of it by its label."""
        return await self.feedback(scope, said_of(saved, verdict, source, comment, at))

    @verb()
    async def remember_sent(self, scope: Scope, message_ids: Sequence[str], answer: Answer) -> None:
        """Remember which answer some messages of a channel told to the scope's user."""
        check_asker(scope, self.settings.limits)
        await keep_sent(self.store, scope, message_ids, answer)

    @verb()
    async def feedback_on_sent(
        self, scope: Scope, message_id: str, verdict: str, comment: str = ""
    ) -> int:
        """Note what the scope's user thinks of the answer that a message told."""
        check_asker(scope, self.settings.limits)
        own = await find_sent(self.store, scope, message_id)
        return await record(self.store, scope, with_verdict(own, verdict, comment))

    @verb()
    async def opened(self, scope: Scope, document_ids: Sequence[str]) -> None:
        """Note that somebody opened documents, if use is counted here."""
        if self.settings.ask.count_use:
            await count_use(self.store, scope, Kind.OPENED, document_ids)

    @verb()
    async def profiles(self, scope: Scope) -> Sequence[Profile]:
        """Return the ranking profiles that are saved for the scope."""
        return (await read_profiles(self.store.records, scope)).profiles

    @verb()
    async def save_profile(self, scope: Scope, profile: Profile, check: Check = agree) -> Profile:
        """Save a ranking profile for the scope's persona, or for all."""
        return await save_profile(self.store.records, scope, profile, check)

    @verb()
    async def delete_profile(self, scope: Scope, name: str, check: Check = agree) -> None:
        """Delete a ranking profile of the scope's persona, or one for all."""
        await delete_profile(self.store.records, scope, name, check)

    @verb()
    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode = NameMode.EXACT, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it."""
        return await self._curation.lookup(scope, names, mode, limit)

    @verb()
    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return the entities that exist."""
        return await self._curation.entities(scope, entity_ids)

    @verb()
    async def expand(self, scope: Scope, entity_ids: Sequence[str], walk: Walk) -> Neighbourhood:
        """Follow edges from these entities."""
        return await self.store.graph.neighbours(scope, entity_ids, walk)

    @verb()
    async def find(self, scope: Scope, name: str, limit: int = 10) -> Sequence[NameMatch]:
        """Return who is called so, then whose name starts so, holds it or is spelt nearly so."""
        return await self._curation.find(scope, name, limit)

    @verb()
    async def known(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return all of these entities; of the first that is unknown, say who may be meant."""
        return await self._curation.known(scope, entity_ids)

    @verb()
    async def sentences(self, scope: Scope, relations: Sequence[Relation]) -> Sequence[str]:
        """Return for each relation the sentence of its first evidence that says it, or nothing."""
        return await self._curation.sentences(scope, relations)

    @verb()
    async def identified(self, scope: Scope, relations: Sequence[Relation]) -> Sequence[Relation]:
        """Return relations under the ids that their sources gave them, where one did."""
        return await self._curation.identified(scope, relations)

    @verb()
    async def ingest(
        self,
        scope: Scope,
        sources: Sequence[str],
        options: Options | None = None,
        emit: Hear | None = None,
    ) -> Report:
        """Take in folders, files, archives and sites; what is known already costs little.

        All of it is found by words and names before the first vector is made.
        """
        return await self._curation.ingest(scope, sources, options, emit)

    @verb()
    async def embed_waiting(
        self, scope: Scope, tell: Tell | None = None, pace: Pace | None = None
    ) -> Vectors:
        """Embed all documents of a tenant that have no vectors, what was asked about first."""
        from sextant.ingest.embedding.flow import AT_FULL_SPEED

        hear = tell or (lambda _: None)
        return await self._curation.embed_waiting(scope, hear, pace or AT_FULL_SPEED)

    def follow(
        self,
        scope: Scope,
        source: str,
        options: Options | None = None,
        emit: Hear | None = None,
    ) -> AsyncIterator[Report]:
        """Take in a folder, and again whenever something in it changes or goes, until cancelled."""
        return self._curation.follow(scope, source, options, emit)

    def export(self, scope: Scope, *, vectors: bool = True) -> AsyncIterator[Record]:
        """Yield everything as plain chunks, relations and entities, which ingest reads again."""
        return self._curation.export(scope, vectors=vectors)

    @verb()
    async def remove(
        self, scope: Scope, document_ids: Sequence[str], over: Mapping[str, str] | None = None
    ) -> int:
        """Delete documents that the scope sees, with all that they brought; return how many.

        Of those for which it says which version is to go, no other does.
        """
        return await self._curation.remove(scope, document_ids, over)

    @verb()
    async def hand_over(self, scope: Scope, old: str, new: str) -> int:
        """Make all documents of one owner another's; return how many. `operator` is no key's."""
        return await self._curation.hand_over(scope, old, new)

    @verb()
    async def alias(self, scope: Scope, entity_id: str, name: str) -> Entity:
        """Let a name belong to an entity for good."""
        return await self._curation.alias(scope, entity_id, name)

    @verb()
    async def merge(self, scope: Scope, entity_id: str, into: str) -> Entity:
        """Let an entity be another one for good."""
        return await self._curation.merge(scope, entity_id, into)

    @verb()
    async def split(self, scope: Scope, entity_id: str, name: str) -> Entity:
        """Let a name, or a merged entity, stand for itself again."""
        return await self._curation.split(scope, entity_id, name)

    async def close(self) -> None:
        """End runs and what reads; close the store, the embedder, the models; then it is told."""
        for copilot in self._copilots:
            await copilot.close()
        if self.copilot_links:
            await self.copilot_links.close()
        for isolation in self._isolations:
            await isolation.close()
        if self.store.tools:
            await self.store.tools.close()
        await self.store.admin.close()
        await self.orchestration.close()

    @property
    def orchestration(self) -> Orchestration:
        """What needs a model and no store."""
        from sextant.core.orchestration import Orchestration

        return Orchestration(self.embedder, self.chat, self.settings, self.tracer)

    @property
    def toolbox(self) -> Toolbox:
        """What can be done with tools; who only asks does not import it."""
        from sextant.core.toolbox import Toolbox

        if not self._toolboxes:
            if self.store.tools is None:
                raise ConfigError(
                    f"The store {self.settings.store!r} has no tools.",
                    "Use a sqlite: store, or name another engine in the setting toolbox.graph.",
                )
            own = Toolbox(self.store.tools, self.embedder, self.settings, self.tracer)
            self._toolboxes.append(own)
        return self._toolboxes[0]

    def hear_runs(self, listener: Callable[[RunReport], None]) -> None:
        """Let somebody hear what each run of a copilot came to."""
        self._run_listeners.append(listener)

    @property
    def copilot(self) -> Copilot:
        """What can be done with runs of copilots; who only asks does not import it."""
        from sextant.chat.links import CopilotLinks
        from sextant.core.copilot import Copilot

        if not self._copilots:
            own = Copilot(
                self.store,
                self.settings,
                self.ask,
                self.embedder,
                self.copilot_links or CopilotLinks(),
                self.chat,
                self.tracer,
                self._run_listeners,
                self._gateway,
            )
            self._copilots.append(own)
        return self._copilots[0]

    @property
    def _gateway(self) -> Gateway | None:
        """The way to the tools of other servers that a copilot may call, if some are set."""
        servers = self.copilot_links.tool_servers if self.copilot_links else ()
        if not servers:
            return None
        from sextant.core.gateway import Gateway
        from sextant.toolbox.gateway.upstream import Upstream

        upstreams = [Upstream(one.server, one.personas) for one in servers]
        return Gateway(self.toolbox, self.settings.serve.tenant, upstreams)

    @property
    def _curation(self) -> Curation:
        """What takes knowledge in; who only asks does not import it."""
        from sextant.core.curation import Curation, isolation_of

        if self.keeps_readers and not self._isolations:
            self._isolations.append(isolation_of(self.settings))
        return Curation(
            self.store,
            self.embedder,
            self.settings,
            self.extractor,
            self.chat,
            self.tracer,
            self._keepers,
            self._isolations[0] if self._isolations else None,
            self.wanted,
        )

    def _folded_of(self, scope: Scope) -> Folded:
        """Return what a tenant's people said so far; it is read on from there."""
        check_asker(scope, self.settings.limits)
        return folded_of(self._folded, scope.tenant)

    def _check_conversation(self, scope: Scope, name: str) -> None:
        check_asker(scope, self.settings.limits)
        check_ids("conversation", [name], self.settings.limits)

    async def _embedded(self, put: Put) -> Put:
        if put.vectors is not None or not put.chunks:
            return put
        vectors, pieces = await embed_chunks(self.embedder, embeddables(put))
        return replace(put, vectors=vectors, pieces=pieces)
