"""An answer in a model's words, each sentence let out only once its source was seen to say it.

What a reply says of its own sources counts for nothing: the list is made here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from sextant.ask.cite import Cited
from sextant.ask.grounding.checking import Checker
from sextant.ask.grounding.releasing import Release
from sextant.ask.grounding.sources import Source
from sextant.ask.grounding.splitting import Saying, Splitter
from sextant.ask.model_steps.rerank import shown
from sextant.ask.model_steps.step import prompt_of
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.ask.workflow.nouns import Agent
from sextant.errors import InvalidReply, ModelError, ModelTimeout
from sextant.ports import ChatModel, Embedder
from sextant.prompting.fence import fenced_text
from sextant.prompting.partial import GrowingField, mended
from sextant.prompting.structured import asked_again, read_reply
from sextant.retrieval.events import Emit, Text, ignore
from sextant.retrieval.recorder import estimated_tokens
from sextant.text.words import Words
from sextant.types import Called, Ended, Json, Prompt, Reason, Reply, TextDelta, Usage, Verdict

FIELD = "answer_markdown"
_REPAIRS = 1
_MOST = 60
"""More sentences than this nobody asked for."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What an answer is to be written from, and who hears it.

    A path through the graph is a line of text that ends with the label of its evidence. Of its own
    seconds and tokens an answer keeps what it has said so far; 0 is no bound.
    """

    question: str
    sources: tuple[Source, ...]
    verdict: Verdict
    words: Words
    embedder: Embedder | None = None
    paths: tuple[str, ...] = ()
    emit: Emit = ignore
    mark: bool = False
    seconds: float = 0.0
    tokens: int = 0
    phrases: Phrases = ENGLISH


@dataclass(frozen=True, slots=True)
class Written:
    """An answer in a model's words, what the trace tells of it, and what it cost.

    Cut means that there was more of it than the tokens allow.
    """

    cited: Cited
    facts: Mapping[str, Json] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    retries: int = 0
    repairs: int = 0
    note: str = ""
    is_cut: bool = False


async def written(model: ChatModel, agent: Agent, wanted: Writing) -> Written:
    """Let a model write, and keep what its sources say; raise a ModelError if that is nothing."""
    prompt = prompt_of(agent, answer_prompt(wanted))
    usage, retries, wrong = Usage(), 0, ""
    now = asyncio.get_running_loop().time()
    end = now + wanted.seconds if wanted.seconds else None
    for repair in range(_REPAIRS + 1):
        attempt = _Attempt(wanted, end)
        await attempt.run(model, prompt)
        usage += attempt.ended.usage
        retries += attempt.ended.retries
        wrong = attempt.wrong(prompt)
        if (attempt.release.statements or not wrong) and attempt.release.end():
            name = attempt.ended.model or str(model.identity)
            cited = attempt.release.cited()
            cut = attempt.is_full
            return Written(cited, attempt.facts(), usage, name, retries, repair, wrong, cut)
        if not wrong:
            raise InvalidReply(
                "No sentence of the answer is said by a source that it cites.",
                "Ask again, or another model.",
            )
        prompt = asked_again(prompt, attempt.reply(), wrong)
    raise InvalidReply(
        f"The model's reply is not what was asked for: {wrong}", "Ask again, or another model."
    )


def answer_prompt(wanted: Writing) -> str:
    """Return what a model is told: the question, its evidence as data, and what is missing."""
    verdict = wanted.verdict
    enough = "sufficient" if verdict.sufficient else "not sufficient: say what is missing"
    blocks = [
        f"User question:\n{wanted.question}",
        f"Selected passages:\n{shown(wanted.sources)}",
        f"Evidence: {enough} (confidence {verdict.confidence:.2f})",
    ]
    if wanted.paths:
        paths = fenced_text("graph paths", "\n".join(wanted.paths))
        blocks.insert(
            2, f"How names are related, each line with the label of its passage:\n{paths}"
        )
    if verdict.missing:
        blocks.append("\n".join(["What may be missing:", *(f"- {one}" for one in verdict.missing)]))
    return "\n\n".join(blocks)


class _Attempt:
    """One reply on its way: read while it comes, checked sentence by sentence."""

    def __init__(self, wanted: Writing, end: float | None) -> None:
        self._wanted = wanted
        self._end = end
        self._field = GrowingField(FIELD)
        self._splitter = Splitter()
        self._checker = Checker(wanted.question, wanted.sources, wanted.words, wanted.embedder)
        self._raw: list[str] = []
        self._read: list[str] = []
        self._calls = 0
        self._broken = ""
        self._claimed: object = None
        self.is_full = False
        self.ended = Ended()
        self.release = Release(
            wanted.verdict,
            lambda piece: wanted.emit(Text(piece)),
            is_marked=wanted.mark,
            phrases=wanted.phrases,
        )

    async def run(self, model: ChatModel, prompt: Prompt) -> None:
        """Take a reply to its end; if it breaks off, what was said until then is kept."""
        try:
            async with asyncio.timeout_at(self._end):
                await self._listen(model, prompt)
                await self._check(self._splitter.end())
        except TimeoutError:
            self._break(
                ModelTimeout(
                    f"It took longer than {self._wanted.seconds:.3g} seconds.",
                    "Allow it more seconds.",
                )
            )
        except ModelError as error:
            self._break(error)

    def _break(self, error: ModelError) -> None:
        if not self.release.statements:
            raise error
        self._broken = f"the answer stops where the model did: {error.message}"

    async def _listen(self, model: ChatModel, prompt: Prompt) -> None:
        async with aclosing(model.stream(prompt)) as deltas:
            async for delta in deltas:
                match delta:
                    case TextDelta(text):
                        await self._hear(text)
                    case Called():
                        self._calls += 1
                    case Ended():
                        self.ended = delta
                if self._field.is_other or self.release.sentences >= _MOST or self.is_full:
                    return

    async def _hear(self, text: str) -> None:
        self._raw.append(text)
        grown = self._field.feed(text)
        if grown:
            self._read.append(grown)
            await self._check(self._splitter.feed(grown))

    async def _check(self, sayings: list[Saying]) -> None:
        for saying in sayings:
            self.is_full = self.is_full or not self._fits(saying)
            if not self.is_full:
                self.release.take(await self._checker.check(saying))

    def _fits(self, saying: Saying) -> bool:
        """Whether one more sentence is within the tokens allowed; the first always is."""
        texts = [*(one.text for one in self.release.statements), saying.text]
        allowed = self._wanted.tokens
        return not allowed or len(texts) == 1 or estimated_tokens(texts) <= allowed

    def reply(self) -> Reply:
        """Return the reply, whole."""
        return Reply("".join(self._raw), ended=self.ended)

    def wrong(self, prompt: Prompt) -> str:
        """Return what is wrong with the reply as a whole, or nothing."""
        if self._broken or self.is_full:
            return self._broken
        if self.release.sentences >= _MOST:
            return "it was longer than anybody asked for."
        if prompt.schema is None or (self.release.statements and self._is_refused()):
            return "it was cut off before its end."
        wrong, value = read_reply(self.reply(), prompt.schema)
        if value is not None and mended(str(value[FIELD])) != "".join(self._read):
            return "a field comes twice."
        self._claimed = value.get("sources") if value else None
        return wrong

    def _is_refused(self) -> bool:
        return self.ended.reason is Reason.REFUSED

    def facts(self) -> dict[str, Json]:
        """Return what the trace tells of it."""
        facts = self.release.facts() | {"compared_by_sense": self._checker.compared}
        cited = [one.label for one in self.release.cited().citations]
        if isinstance(self._claimed, list) and sorted(map(str, self._claimed)) != sorted(cited):
            facts["sources_corrected"] = True
        return facts | ({"tool_calls_ignored": self._calls} if self._calls else {})
