"""What a declarative workflow does, found out by rehearsing it with agents that follow a script.

The line of this program runs an imported workflow, so the two must call the same agents in the
same order, whatever these reply; what differs is refused. Knows no file and no model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sextant.ask.workflow.declarative.actions import (
    Assign,
    End,
    Invoke,
    Jump,
    Operation,
    Prompted,
    Send,
    Test,
)
from sextant.ask.workflow.declarative.evaluate import LOCAL, evaluate, text_of_value
from sextant.ask.workflow.nouns import STEPS
from sextant.errors import ConfigError

_MOST_OPERATIONS = 5_000
_MOST_ROUNDS = 3
"""As many further rounds as a workflow of ours may have."""

_QUESTION, _MESSAGE = "the question that is asked", "the message instead of a search"
ROUTER, PLANNER, RETRIEVER, RERANKER, JUDGE, WRITER = STEPS
_MUST_HEAR = {
    ROUTER: _QUESTION,
    PLANNER: _QUESTION,
    RETRIEVER: "query",
    RERANKER: "",
    JUDGE: "selected chunk",
    WRITER: "selected chunk",
}
"""A word of what each step cannot do without, as the script has it; the reranker needs chunks."""


@dataclass(frozen=True, slots=True)
class _Script:
    """How the agents reply: whether to search, with how many queries, and what the judge says.

    The judge says no so many times before it says yes, each time with so many further queries.
    """

    searches: bool = True
    queries: int = 0
    refusals: int = 0
    further: int = 0

    def reply(self, step: str, times: int) -> dict[str, Any]:
        """Return what an agent replies that was asked so many times before."""
        return _REPLIES[step](self, times)


def _numbered(name: str, number: int) -> list[str]:
    return [f"{name} {one}" for one in range(1, number + 1)]


def _routing(script: _Script, _: int) -> dict[str, Any]:
    route = "run_rag" if script.searches else "no_rag"
    return {"should_run_rag": script.searches, "route": route, "assistant_message": _MESSAGE}


def _planning(script: _Script, _: int) -> dict[str, Any]:
    queries = _numbered("planned query", script.queries)
    return {"queries": queries, "retrieval_goals": _numbered("goal", script.queries), "filter": ""}


def _retrieving(_: _Script, times: int) -> dict[str, Any]:
    texts = _numbered(f"chunk of call {times},", 2)
    return {"query_used": "used", "chunk_texts": texts, "chunk_sources": ["A", "B"]}


def _reranking(_: _Script, __: int) -> dict[str, Any]:
    return {
        "selected_chunk_texts": ["selected chunk"],
        "selected_sources": ["A"],
        "selected_rationales": ["says it"],
        "missing_info_questions": [],
    }


def _judging(script: _Script, times: int) -> dict[str, Any]:
    is_enough = times >= script.refusals
    further = 0 if is_enough else script.further
    return {
        "is_sufficient": is_enough,
        "confidence": 0.9 if is_enough else 0.2,
        "key_points": [],
        "key_point_sources": [],
        "missing_info_questions": [],
        "followup_queries": _numbered("further query", further),
        "followup_retrieval_goals": _numbered("further goal", further),
    }


def _writing(_: _Script, __: int) -> dict[str, Any]:
    return {"answer_markdown": "the answer", "sources": ["A"]}


_REPLIES = {
    ROUTER: _routing,
    PLANNER: _planning,
    RETRIEVER: _retrieving,
    RERANKER: _reranking,
    JUDGE: _judging,
    WRITER: _writing,
}


@dataclass(slots=True)
class _Rehearsal:
    """One run: who was asked, where, and what the user heard."""

    script: _Script
    steps: Mapping[str, str]
    asked: list[tuple[str, str]] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    local: dict[str, Any] = field(default_factory=dict)

    def run(self, program: Sequence[Operation]) -> None:
        """Carry out a program to its end."""
        at = 0
        for _ in range(_MOST_OPERATIONS):
            one = program[at]
            if isinstance(one, End):
                return
            at = self._next(one, at)
        raise ConfigError(
            f"{program[at].where}: the workflow does not come to an end.",
            "Let every loop count up to a limit.",
        )

    def _next(self, one: Operation, at: int) -> int:
        match one:
            case Assign(where, variable, value):
                self.local[variable] = self._value(value, where)
            case Prompted(_, variable):
                self.local[variable] = _QUESTION
            case Invoke():
                self._invoke(one)
            case Send(where, activity):
                self.heard.append(text_of_value(self._value(activity, where)))
            case Test(where, condition, otherwise):
                return at + 1 if self._value(condition, where) else otherwise
            case Jump(_, to):
                return to
        return at + 1

    def _invoke(self, one: Invoke) -> None:
        step = self.steps[one.agent]
        message = text_of_value(self._value(one.message, one.where))
        found = sum(name == RETRIEVER for name, _ in self.asked)
        chunk = f"chunk of call {found - 1}," if step == RERANKER and found else ""
        if _MUST_HEAR[step] not in message or chunk not in message:
            raise ConfigError(
                f"{one.where}: {one.agent} is not given what the step {step} works on.",
                "Put the question, the query or the passages into `messages`.",
            )
        reply = self.script.reply(step, sum(name == step for name, _ in self.asked))
        self.asked.append((step, one.where))
        self.local[one.variable] = reply
        if one.is_sent:
            self.heard.append(str(reply.get("answer_markdown", "")))

    def _value(self, node: Any, where: str) -> Any:
        return evaluate(node, {LOCAL: self.local}, where)


def count_rounds(program: Sequence[Operation], steps: Mapping[str, str]) -> int:
    """Return how many further rounds of retrieval a program allows, if it else is the line.

    ``steps`` has the step that each agent does.
    """
    most = _rounds(program, steps)
    _expect(program, steps, _Script(searches=False), [ROUTER], _MESSAGE)
    for queries in range(4):
        script = _Script(queries=queries)
        _expect(program, steps, script, [*_searching(script), WRITER])
    for refusals in range(1, most + 2):
        script = _Script(queries=2, refusals=refusals, further=2)
        done = min(refusals, most)
        again = [RETRIEVER, RETRIEVER, RERANKER, JUDGE] * done
        _expect(program, steps, script, [*_searching(script), *again, WRITER])
    script = _Script(queries=1, refusals=1)
    _expect(program, steps, script, [*_searching(script), WRITER])
    return most


def _searching(script: _Script) -> list[str]:
    return [ROUTER, PLANNER, *[RETRIEVER] * script.queries, RERANKER, JUDGE]


def _rounds(program: Sequence[Operation], steps: Mapping[str, str]) -> int:
    """Return how often a judge that never says yes is asked again."""
    rehearsal = _Rehearsal(_Script(queries=1, refusals=_MOST_OPERATIONS, further=1), steps)
    rehearsal.run(program)
    judged = [where for step, where in rehearsal.asked if step == JUDGE]
    if len(judged) > _MOST_ROUNDS + 1:
        raise ConfigError(
            f"{judged[-1]}: the workflow allows {len(judged) - 1} further rounds.",
            f"At most {_MOST_ROUNDS} are taken.",
        )
    return max(0, len(judged) - 1)


def _expect(
    program: Sequence[Operation],
    steps: Mapping[str, str],
    script: _Script,
    order: Sequence[str],
    said: str = "the answer",
) -> None:
    """Refuse a program that asks others, or in another order, or does not say what it must."""
    rehearsal = _Rehearsal(script, steps)
    rehearsal.run(program)
    done = [step for step, _ in rehearsal.asked]
    if done != list(order):
        shorter = min(len(done), len(order))
        at = next((one for one in range(shorter) if done[one] != order[one]), shorter)
        where = rehearsal.asked[min(at, len(done) - 1)][1] if done else program[0].where
        wanted = order[at] if at < len(order) else "the end"
        raise ConfigError(
            f"{where}: the workflow goes another way than the line: {wanted} should come next.",
            f"The order is {', '.join(STEPS)}; after the judge's no, the retriever again.",
        )
    if not any(said in one for one in rehearsal.heard):
        where = rehearsal.asked[-1][1]
        raise ConfigError(
            f"{where}: the user is never told {said}.", "Send it, or set `autoSend: true`."
        )
