"""The class Pipeline: searching alone, over whatever holds the knowledge. Knows no adapter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from sextant.ask import flow
from sextant.ask.question import Means, Question, as_question
from sextant.core.closing import Closing
from sextant.core.verb import asked, verb
from sextant.limits import check_asker
from sextant.retrieval.events import Emit, ignore
from sextant.retrieval.feedback.folding import Folded, folded_of
from sextant.spans import Tracer
from sextant.types import Ranked, Scope


@dataclass(frozen=True, slots=True)
class Pipeline(Closing):
    """The line that ranks knowledge, and no more; closing it ends what it calls through."""

    means: Means
    closing: Callable[[], Awaitable[None]]
    tracer: Tracer | None = None
    _folded: dict[str, Folded] = field(init=False, default_factory=dict, repr=False, compare=False)

    @verb(asked)
    async def search(self, scope: Scope, question: str | Question, emit: Emit = ignore) -> Ranked:
        """Rank the passages that a question needs."""
        check_asker(scope, self.means.settings.limits)
        folded = folded_of(self._folded, scope.tenant)
        return await flow.search(self.means, scope, as_question(question), folded, emit)

    async def close(self) -> None:
        """Let go of the other servers; the tracer is told of it."""
        await self.closing()
        if self.tracer:
            await self.tracer.close()
