"""The command that talks to an agent in the terminal, as a copilot in a page does."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from sextant.chat.context import DEFAULT_AGENT, new_id
from sextant.cli.copilot.showing import RunShower, run_fields, show_answers
from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    print_json,
    run,
    settings,
    typed_exit,
)
from sextant.cli.shared.knowledge import TenantOption, with_knowledge
from sextant.cli.shared.questions import (
    LlmOption,
    OperatorOption,
    PersonaOption,
    UserOption,
    scope_of,
)
from sextant.core import Sextant
from sextant.core.copilot import Copilot
from sextant.errors import InvalidInput
from sextant.types import (
    InterruptAnswer,
    Interrupted,
    RunEvent,
    RunFailed,
    RunRequest,
    Scope,
    Speaker,
    TextMessage,
)

app = typer.Typer()


@app.command()
def chat(
    message: Annotated[
        list[str] | None, typer.Argument(help="What you say; `-` reads it from stdin.")
    ] = None,
    agent: Annotated[
        str, typer.Option(help="Who answers.", show_default="as `chat.grounding` says")
    ] = "",
    thread: Annotated[str, typer.Option(help="Go on in this thread.")] = "",
    answer: Annotated[
        str | None, typer.Option(help="Answer what the thread waits with, such as `yes`.")
    ] = None,
    answer_to: Annotated[
        str, typer.Option(help="Id of what is answered.", show_default="what was asked first")
    ] = "",
    persona: PersonaOption = None,
    operator: OperatorOption = False,
    user: UserOption = None,
    llm: LlmOption = None,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Talk to an agent as a copilot does, with its steps, actions and sources.

    The text is on stdout; steps, actions and questions to you are on stderr. A thread of an agent
    is kept, so that `--thread` goes on with it.

    Examples:

    - `sextant chat "Who owns the Harbor Queue?"`
    - `sextant chat "And since when?" --thread t1`
    - `sextant chat "Plan a trip to Oslo" --agent planner`
    - `sextant chat --thread t1 --answer yes`
    """
    with typed_exit():
        text = _text_of(message or [])
        if not text and answer is None:
            raise InvalidInput("There is nothing to say.", "Write a message, or --answer.")
        if answer is not None and not thread:
            raise InvalidInput("--answer is for a thread that waits.", "Name it by --thread.")
        if answer_to and answer is None:
            raise InvalidInput("--answer-to needs an answer.", "Write it by --answer.")
        scope = scope_of(tenant, persona, user or "local", is_operator=operator)
        answers = () if answer is None else (InterruptAnswer(answer, answer_to),)
        said = (TextMessage(new_id(), Speaker.USER, text),) if text else ()
        asked = RunRequest(said, thread_id=thread, agent=agent, answers=answers)

    async def task(sextant: Sextant) -> Sequence[RunEvent]:
        return await _follow(sextant.copilot, scope, asked, is_quiet=as_json)

    events = run(with_knowledge(settings(store, llm), task, tenant))
    if as_json:
        print_json(run_fields(events))
    raise typer.Exit(int(isinstance(events[-1], RunFailed)))


async def _follow(
    copilot: Copilot, scope: Scope, asked: RunRequest, *, is_quiet: bool
) -> Sequence[RunEvent]:
    """Start a run and show it as it goes on; return its events."""
    shower, heard = RunShower(), list[RunEvent]()
    if asked.thread_id:
        kept = await copilot.load_state(scope, asked.thread_id, asked.agent or DEFAULT_AGENT)
        if asked.messages:
            asked = replace(asked, messages=(*kept.messages, *asked.messages))
        answers = tuple(_addressed(one, kept.interrupts) for one in asked.answers)
        asked = replace(asked, answers=answers)
        if not is_quiet:
            show_answers(answers, kept.interrupts)
    run = await copilot.start(scope, asked)
    async for batch in run.events():
        heard += batch
        for event in () if is_quiet else batch:
            shower.show(event)
    if not is_quiet:
        shower.finish()
        shower.show_way_on(run.thread_id, is_kept=bool(run.agent))
    return heard


def _addressed(answer: InterruptAnswer, waiting: Sequence[Interrupted]) -> InterruptAnswer:
    """Return an answer with the id of what it is for, so that it goes to what is shown."""
    first = waiting[0].interrupt_id if waiting else ""
    return replace(answer, interrupt_id=answer.interrupt_id or first)


def _text_of(words: list[str]) -> str:
    return sys.stdin.read().strip() if words == ["-"] else " ".join(words).strip()
