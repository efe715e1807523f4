"""One question under way: with what, for whom, on which day, by which weights. Knows no step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf

from sextant.ask import model_steps as modelled
from sextant.ask.phrases import Phrases, phrases_for
from sextant.ask.question import Means, Question, check_question
from sextant.ports import Orchestrator
from sextant.prompting.spending import Spending
from sextant.retrieval.beside import beside
from sextant.retrieval.events import Emit
from sextant.retrieval.feedback.earned import Standing
from sextant.retrieval.feedback.folding import Folded
from sextant.retrieval.late_vectors import LateVectors
from sextant.retrieval.profiles.choice import Choice, Wish, choose
from sextant.retrieval.recorder import Recorder
from sextant.settings import AskSettings
from sextant.types import Scope, Trace


@dataclass(frozen=True, slots=True)
class Run:
    """What all steps of one question share."""

    means: Means
    scope: Scope
    question: Question
    now: datetime
    choice: Choice
    standing: Standing
    recorder: Recorder
    late: LateVectors
    talk: modelled.Talk | None = None
    orchestrator: Orchestrator | None = None

    @property
    def seconds_left(self) -> float:
        """How long somebody else may take, so that our own steps have their time."""
        return self.recorder.left_for_others(self.means.settings.model.total_seconds)

    @property
    def embedder_seconds(self) -> float:
        """How long the embedder may take for a query: as long as a model, within the budget."""
        return min(self.means.settings.model.total_seconds, self.recorder.left(inf))

    @property
    def phrases(self) -> Phrases:
        """The fixed sentences in the language of whoever asks."""
        return phrases_for(self.question.locale, self.now.date())

    def trace(self, commits: Sequence[int]) -> Trace:
        """Return the way so far, at the lowest commit that passages were found at."""
        told = [self.talk.step()] if self.talk else []
        trace = self.recorder.trace(self.now, min(commits, default=0), told)
        return replace(trace, locale=self.question.locale)


async def begin(means: Means, scope: Scope, question: Question, folded: Folded, emit: Emit) -> Run:
    """Check what is asked, and find out by which weights it is ranked."""
    limits, rules = means.settings.limits, means.settings.ask
    check_question(question, limits, means.embedder.identity.width)
    recorder = Recorder(emit, means.clock, question.budget)
    records, wish = means.store.records, Wish(question.weights, question.profile)
    async with beside(folded.standing(records, scope)) as heard:
        learnt = heard if rules.learn_weights else None
        choice = await choose(records, scope, wish, _usual(rules), learnt)
        standing = await heard
    talk = _talk(means, recorder)
    aid = modelled.ByModel(talk) if talk else means.orchestrator
    now = question.now or _today()
    late = LateVectors(
        means.embedder, recorder, rules.late_vectors, means.settings.model.total_seconds
    )
    return Run(means, scope, question, now, choice, standing, recorder, late, talk, aid)


def _talk(means: Means, recorder: Recorder) -> modelled.Talk | None:
    """Return what the question may ask of a model, if there is one, and until when."""
    if means.chat is None:
        return None
    rules, allowed = means.settings.model, means.chat.workflow.limits.seconds
    spending = Spending(rules.tokens)
    return modelled.Talk(means.chat, rules, spending, lambda: recorder.left_for_others(allowed))


def _usual(rules: AskSettings) -> Choice:
    return Choice(rules.weights, rules.half_life_days)


def _today() -> datetime:
    """Return the day, not the second: the same question gives the same bytes all day."""
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
