"""The command that asks a set of questions and counts the right answers."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from sextant.ask.evaluate.cases import MOST, chosen, read_cases
from sextant.ask.evaluate.score import Evaluation, Score, Total
from sextant.ask.question import Question
from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    out,
    print_json,
    run,
    settings,
    typed_exit,
)
from sextant.cli.shared.knowledge import TenantOption, with_knowledge
from sextant.cli.shared.progress import progress
from sextant.cli.shared.questions import (
    LlmOption,
    NowOption,
    ProfileOption,
    WeightsOption,
    moment_of,
    scope_of,
    text_in,
    weights_of,
)
from sextant.cli.shared.rendering import line
from sextant.core import Sextant

app = typer.Typer()
_SAMPLE_DAY = "2026-10-31"


@app.command("eval")
def evaluate_questions(
    questions: Annotated[
        Path | None,
        typer.Argument(help="Questions as JSON lines; without it, those of the sample knowledge."),
    ] = None,
    split: Annotated[list[str] | None, typer.Option(help="Only this split; may repeat.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Only this kind; may repeat.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="Ask at most so many; 0 is all.")] = 0,
    at_least: Annotated[
        float, typer.Option(min=0, max=1, help="Exit with 1 if a smaller share is right.")
    ] = 0.0,
    now: NowOption = None,
    profile: ProfileOption = "",
    weights: WeightsOption = None,
    llm: LlmOption = None,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a set of questions, and count the right answers.

    An answer is right if it says what it must, nothing that it must not, and cites the main
    document; where the knowledge does not say, if it owns that. A line of the set is one JSON
    object: `{"question": "Who owns it?", "must": ["Team Y"], "documents": ["processes/x.md"]}`;
    `must_not`, `kind`, `split`, `persona`, `today` and `history` may be there, too. Without `must`
    and `documents` it is a question that the knowledge does not answer.

    Examples:

    - `sextant eval --split test`
    - `sextant eval questions.jsonl --at-least 0.9`
    """
    with typed_exit():
        cases = chosen(read_cases(_questions(questions)), split or (), kind or (), limit)
        day = now or (None if questions else _SAMPLE_DAY)
        like = Question("", weights=weights_of(weights), profile=profile, now=moment_of(day))

    async def task(sextant: Sextant) -> Evaluation:
        with progress() as listener:
            return await sextant.evaluate(scope_of(tenant), cases, like, listener)

    found = run(with_knowledge(settings(store, llm), task, tenant))
    if as_json:
        print_json(_evaluation_json(found))
    else:
        _show_evaluation(found)
        if questions is None and not found.total.right:
            _show_how_to_take_the_sample_in()
    if found.total.share < at_least:
        raise typer.Exit(1)


def _questions(path: Path | None) -> str:
    if path is not None:
        return text_in(path, MOST)
    bundled = resources.files("sextant") / "sample" / "questions.jsonl"
    return bundled.read_text(encoding="utf-8")


def _show_evaluation(found: Evaluation) -> None:
    table = Table("", "questions", "right", "share", box=None, header_style="bold")
    for own in (*found.by_kind, *found.by_split, found.total):
        style = "bold" if own is found.total else ""
        row = (escape(own.name), str(own.count), str(own.right), f"{own.share:.0%}")
        table.add_row(*row, style=style)
    out.print(table)
    for right, name in ((True, "right"), (False, "wrong")):
        mean = found.confidence(right=right)
        if mean is not None:
            line(f"mean confidence of the {name} ones: {mean:.2f}")
    for one in found.wrong:
        line(("wrong ", "red"), (one.case.id, "bold"), f"  {one.case.question}")
        line(_why_wrong(one), indent=6)


def _why_wrong(one: Score) -> str:
    """Say what an answer would have needed."""
    if not one.case.is_answerable:
        told = [f"says “{words}”" for words in one.forbidden]
        return "; ".join(["answered, though nothing says so"] * one.is_answered + told)
    told = [] if one.is_answered else ["not answered"]
    told += [f"lacks “{words}”" for words in one.lacking]
    told += [f"says “{words}”" for words in one.forbidden]
    if not one.cites_main:
        told.append(f"does not cite {one.case.documents[0]}")
    return "; ".join(told) + f" (confidence {one.confidence:.2f})"


def _show_how_to_take_the_sample_in() -> None:
    sample = resources.files("sextant") / "sample" / "knowledge"
    line("These questions are about the sample knowledge. Take it in first:")
    line(f"sextant ingest {sample} --name sample", indent=2)


def _evaluation_json(found: Evaluation) -> dict[str, Any]:
    return {
        **_total_json(found.total),
        "confidence_of_right": found.confidence(right=True),
        "confidence_of_wrong": found.confidence(right=False),
        "kinds": {own.name: _total_json(own) for own in found.by_kind},
        "splits": {own.name: _total_json(own) for own in found.by_split},
        "answers": [_score_json(one) for one in found.scores],
    }


def _total_json(total: Total) -> dict[str, Any]:
    return {"questions": total.count, "right": total.right, "share": total.share}


def _score_json(one: Score) -> dict[str, Any]:
    return {
        "id": one.case.id,
        "kind": one.case.kind,
        "split": one.case.split,
        "question": one.case.question,
        "right": one.is_right,
        "answered": one.is_answered,
        "cites_main": one.cites_main,
        "cites_all": one.cites_all,
        "lacking": list(one.lacking),
        "forbidden": list(one.forbidden),
        "cited": list(one.cited),
        "confidence": one.confidence,
        "text": one.text,
    }
