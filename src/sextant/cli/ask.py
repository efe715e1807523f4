"""Commands to ask: for an answer that cites what it rests on, or for ranked knowledge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sextant.ask.record.fields import record_fields, saved
from sextant.cli.shared.answer_lines import AnswerLines
from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    err,
    flag,
    out,
    print_json,
    run,
    settings,
    typed_exit,
)
from sextant.cli.shared.knowledge import TenantOption, with_knowledge
from sextant.cli.shared.questions import (
    AfterOption,
    BudgetMsOption,
    BudgetTokensOption,
    FilterOption,
    HistoryOption,
    LlmOption,
    NowOption,
    OperatorOption,
    PersonaOption,
    ProfileOption,
    QuestionArgument,
    UserOption,
    WeightsOption,
    question_of,
    scope_of,
    turns_of,
    write_new,
)
from sextant.cli.shared.rendering import (
    show_answer,
    show_missed,
    show_ranked,
    show_suggested,
    show_trace,
)
from sextant.core import Sextant
from sextant.errors import Conflict
from sextant.retrieval.events import Emit, Event, Text
from sextant.retrieval.recorder import Budget
from sextant.settings import NO_MODEL, AskSettings
from sextant.text.codec.encode import plain_of
from sextant.types import Answer, Ranked

if TYPE_CHECKING:
    from sextant.toolbox.suggest import SuggestedTool

app = typer.Typer()
RephraseOption = Annotated[
    bool, flag("--rephrase", help="Look for it in other words too: aliases, synonyms.")
]
TraceOption = Annotated[bool, flag("--trace", help="Show the whole way, step by step.")]


@app.command()
def ask(
    question: QuestionArgument,
    trace: TraceOption = False,
    save: Annotated[
        Path | None, typer.Option(help="Write the answer to this new file, for `sextant verify`.")
    ] = None,
    history: HistoryOption = None,
    after: AfterOption = None,
    persona: PersonaOption = None,
    operator: OperatorOption = False,
    user: UserOption = None,
    filter: FilterOption = None,  # noqa: A002 - what every search calls it
    now: NowOption = None,
    profile: ProfileOption = "",
    weights: WeightsOption = None,
    budget_ms: BudgetMsOption = 0,
    budget_tokens: BudgetTokensOption = 0,
    locale: Annotated[
        str, typer.Option(help="The language of fixed sentences and dates, as in `de-DE`.")
    ] = "",
    conversation: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Go on in this conversation of `--user`, or of nobody, and remember it.",
        ),
    ] = "",
    llm: LlmOption = None,
    rephrase: RephraseOption = False,
    tools: Annotated[
        bool, flag("--tools", help="End with the tools that carry out what the evidence says.")
    ] = False,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question with the sections that say it, cited, or show what comes nearest.

    The sentence that answers is in bold; code, lists and steps are as they are in the source. It
    ends with 0 whether the answer is known, only the nearest, or nothing: `--json` has `state`.

    Examples:

    - `sextant ask "If Service A fails, what breaks and who owns escalation?" --trace`
    - `sextant ask "And since when?" --after "Who leads Team Y?"`
    - `sextant ask "Who leads Team Y?" --conversation c1 --locale de-DE`
    - `sextant ask - --persona sre --save answer.json < question.txt`
    - `sextant ask "What is new in Process X?" --llm openai:gpt-5 --trace`
    - `sextant ask "What do I do after an incident?" --tools`
    """
    with typed_exit():
        if save and save.exists():
            raise Conflict(f"{save.name} exists already.", "Name a new file.")
        scope = scope_of(tenant, persona, user, is_operator=operator)
        budget = Budget(budget_ms, budget_tokens)
        turns = turns_of(history, after)
        asked = question_of(question, turns, filter, now, profile, weights, budget)
        asked = replace(asked, rephrase=rephrase, locale=locale, conversation=conversation)
    heard: list[str] = []

    async def task(sextant: Sextant) -> tuple[Answer, Sequence[SuggestedTool]]:
        answer = await sextant.ask(scope, asked, _listener(heard, is_quiet=as_json))
        return answer, await sextant.toolbox.suggest_tools(scope, answer) if tools else ()

    answer, suggested = run(with_knowledge(settings(store, llm), task, tenant))
    with typed_exit():
        if save:
            write_new(save, saved(answer))
    if as_json:
        told = {"tools": plain_of(list(suggested))} if tools else {}
        print_json({**record_fields(answer), **told})
        return
    show_answer(answer, is_told=bool(heard))
    if tools:
        show_suggested(suggested)
    if trace:
        show_trace(answer.trace)


@app.command()
def search(
    question: QuestionArgument,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            min=1,
            max=1_000,
            help="How many at most.",
            show_default=str(AskSettings().results),
        ),
    ] = None,
    full: Annotated[
        bool, flag("--full", help="Show whole passages, and where each is read.")
    ] = False,
    explain: Annotated[
        bool, flag("--explain", help="Show what each score brought, and why.")
    ] = False,
    trace: TraceOption = False,
    history: HistoryOption = None,
    after: AfterOption = None,
    persona: PersonaOption = None,
    operator: OperatorOption = False,
    user: UserOption = None,
    filter: FilterOption = None,  # noqa: A002 - what every search calls it
    now: NowOption = None,
    profile: ProfileOption = "",
    weights: WeightsOption = None,
    budget_ms: BudgetMsOption = 0,
    llm: LlmOption = None,
    rephrase: RephraseOption = False,
    rerank: Annotated[
        bool, flag("--rerank", help="Let the model have the last word on the order.")
    ] = False,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rank what the knowledge has on a question by relevancy, recency, richness and reputation.

    Examples:

    - `sextant search "refund limit" -k 3 --full`
    - `sextant search "refund limit" -k 5 --explain`
    - `sextant search "restart Service A" --filter '{"source_types": ["runbook"]}'`
    - `sextant search "escalation" --weights recency=1,relevancy=1`
    """
    chosen = settings(store, llm if rephrase or rerank else NO_MODEL)
    with typed_exit():
        scope = scope_of(tenant, persona, user, is_operator=operator)
        turns = turns_of(history, after)
        most = k or chosen.ask.results
        asked = question_of(question, turns, filter, now, profile, weights, Budget(budget_ms), most)
        asked = replace(asked, rephrase=rephrase, rerank=rerank)

    async def task(sextant: Sextant) -> Ranked:
        return await sextant.search(scope, asked)

    if rerank and chosen.llm in (NO_MODEL, ""):
        err.print("Without a model there is nothing to rerank by: set --llm.", highlight=False)
    ranked = run(with_knowledge(chosen, task, tenant))
    if as_json:
        print_json(record_fields(ranked))
        return
    show_ranked(ranked, explain=explain, full=full)
    show_missed(ranked.trace)
    if trace:
        show_trace(ranked.trace)


def _listener(heard: list[str], *, is_quiet: bool) -> Emit:
    """Print an answer piece by piece where somebody watches, and keep what was printed."""

    lines = AnswerLines()

    def listen(event: Event) -> None:
        if isinstance(event, Text) and out.is_terminal and not is_quiet:
            heard.append(event.text)
            lines.show(event.text)

    return listen
