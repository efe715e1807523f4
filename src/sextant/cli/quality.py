"""Commands around answers: check a saved one, say what it was worth, save how hits are ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from sextant.ask.record.load import Saved, read
from sextant.ask.record.opinion import said_of
from sextant.ask.record.verify import Verification
from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    flag,
    print_json,
    run,
    settings,
    show_table,
    typed_exit,
)
from sextant.cli.shared.knowledge import TenantOption, with_knowledge
from sextant.cli.shared.questions import (
    OperatorOption,
    PersonaOption,
    WeightsOption,
    scope_of,
    text_in,
    weights_of,
)
from sextant.cli.shared.rendering import line
from sextant.core import Sextant
from sextant.errors import InvalidInput
from sextant.retrieval.feedback.opinions import DOCUMENT, Opinion, OpinionOn
from sextant.retrieval.profiles.saved import Profile
from sextant.types import Answer, Preferences

_REPLY = '"answerId"'
"""What a reply of a server has, and an answer that was saved here has not."""

app = typer.Typer()
profiles_app = typer.Typer(no_args_is_help=True, help="Save, list and delete ways to rank.")
AnswerArgument = Annotated[
    Path, typer.Argument(help="A file that `sextant ask … --save` wrote; `-` is stdin.")
]
NameArgument = Annotated[str, typer.Argument(help="What `--profile` calls it.")]


@app.command("verify")
def verify_answer(
    answer: AnswerArgument,
    persona: PersonaOption = None,
    operator: OperatorOption = False,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check a saved answer against the store: every quote, every relation, every label.

    Exits with 1 if something does not hold any more, or was changed after it was saved.

    Example: `sextant ask "Who owns Process X?" --save answer.json && sextant verify answer.json`
    """
    with typed_exit():
        saved = _saved_in(text_in(answer))
        scope = scope_of(tenant, persona, is_operator=operator)

    async def task(sextant: Sextant) -> Verification:
        return await sextant.verify(scope, saved.answer, saved.digest)

    found = run(with_knowledge(settings(store), task, tenant))
    if as_json:
        print_json(_verification_json(found))
    else:
        _show_verification(found, saved.answer)
    if not found.ok:
        raise typer.Exit(1)


@app.command()
def feedback(
    answer: Annotated[
        Path | None, typer.Argument(help="A file that `sextant ask … --save` wrote; `-` is stdin.")
    ] = None,
    helpful: Annotated[
        bool | None, flag("--helpful/--not-helpful", help="What it was worth.")
    ] = None,
    withdraw: Annotated[bool, flag("--withdraw", help="Take back what was said of it.")] = False,
    source: Annotated[str, typer.Option(help="Only of the source with this label.")] = "",
    document: Annotated[str, typer.Option(help="Of this document, without an answer.")] = "",
    comment: Annotated[str, typer.Option(help="Why; it is kept, and not read.")] = "",
    user: Annotated[str | None, typer.Option(help="Who says so; the latest word counts.")] = None,
    persona: PersonaOption = None,
    operator: OperatorOption = False,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what an answer or a source was worth; it moves the sources' reputation a little.

    Examples:

    - `sextant feedback answer.json --helpful --user ann`
    - `sextant feedback answer.json --not-helpful --source "Old wiki page"`
    - `sextant feedback --document docs/x.md --withdraw --user ann`
    """
    with typed_exit():
        opinion = _opinion(helpful, withdraw=withdraw)
        said = replace(_opinion_on(answer, source, document, opinion), comment=comment)
        scope = scope_of(tenant, persona, user, is_operator=operator)

    async def task(sextant: Sextant) -> int:
        return await sextant.feedback(scope, replace(said, at=datetime.now(UTC)))

    number = run(with_knowledge(settings(store), task))
    if as_json:
        print_json({"subject": said.subject, "verdict": said.verdict, "number": number})
    else:
        line(f"Noted: {said.subject} {said.verdict}.")


@profiles_app.command("list")
def list_profiles(
    persona: PersonaOption = None,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the profiles of a persona, then those for all."""

    async def task(sextant: Sextant) -> Sequence[Profile]:
        return await sextant.profiles(scope_of(tenant, persona))

    found = run(with_knowledge(settings(store), task))
    if as_json:
        print_json([asdict(one) for one in found])
        return
    names = ("name", "relevancy", "recency", "richness", "reputation", "half-life", "for", "")
    table = Table(*names, box=None, header_style="bold")
    for one in found:
        weights = (f"{value:g}" for value in asdict(one.weights).values())
        days, whose = f"{one.half_life_days:g} days", escape(one.persona) or "all"
        table.add_row(escape(one.name), *weights, days, whose, "default" if one.default else "")
    show_table(table, "There are no profiles.")


@profiles_app.command("save")
def save_profile(
    name: NameArgument,
    weights: WeightsOption = None,
    half_life_days: Annotated[
        float | None,
        typer.Option(
            help="After how many days a document is half as recent.",
            show_default="as `ask.half_life_days` is set",
        ),
    ] = None,
    default: Annotated[
        bool, flag("--default", help="Rank by it wherever no other is asked for.")
    ] = False,
    persona: PersonaOption = None,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Save a profile, in place of one of the same name.

    Example: `sextant profiles save fresh --weights recency=0.5 --half-life-days 30 --persona sre`
    """
    opened = settings(store)
    with typed_exit():
        usual = opened.ask
        chosen = (weights_of(weights) or Preferences()).over(usual.weights)
        days = usual.half_life_days if half_life_days is None else half_life_days
        profile = Profile(name, chosen, days, default=default)

    async def task(sextant: Sextant) -> Profile:
        return await sextant.save_profile(scope_of(tenant, persona), profile)

    saved = run(with_knowledge(opened, task))
    if as_json:
        print_json(asdict(saved))
    else:
        line(f"Saved {saved.name}, for {saved.persona or 'all'}.")


@profiles_app.command("delete")
def delete_profile(
    name: NameArgument,
    persona: PersonaOption = None,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a profile."""

    async def task(sextant: Sextant) -> None:
        await sextant.delete_profile(scope_of(tenant, persona), name)

    run(with_knowledge(settings(store), task))
    if as_json:
        print_json({"deleted": name})
    else:
        line(f"Deleted {name}.")


def _opinion(helpful: bool | None, *, withdraw: bool) -> Opinion:
    if withdraw == (helpful is not None):
        raise InvalidInput(
            "It is not clear what is said.", "Use one of --helpful, --not-helpful, --withdraw."
        )
    if withdraw:
        return Opinion.WITHDRAWN
    return Opinion.HELPFUL if helpful else Opinion.UNHELPFUL


def _opinion_on(answer: Path | None, source: str, document: str, opinion: Opinion) -> OpinionOn:
    """Return a word on an answer with its sources, on one of them, or on a document."""
    if (answer is None) == (not document):
        raise InvalidInput("It is not clear what is spoken of.", "Name a file or a --document.")
    if answer is None:
        return OpinionOn(DOCUMENT + document, opinion)
    return said_of(_saved_in(text_in(answer)), opinion, source)


def _saved_in(text: str) -> Saved:
    """Return the answer that a file holds: one that was saved, or a reply of POST /api/ask."""
    if _REPLY not in text:
        return read(text)
    from sextant.serve.wire.returned import read_reply

    return read_reply(text)


def _verification_json(found: Verification) -> dict[str, Any]:
    checks = [
        {"what": one.what, "name": one.name, "ok": one.ok, "says": one.says} for one in found.checks
    ]
    return {"ok": found.ok, "checks": checks}


def _show_verification(found: Verification, answer: Answer) -> None:
    for check in found.checks:
        mark = ("ok ", "green") if check.ok else ("no ", "bold red")
        line(mark, f"{check.what} {check.name}: ", check.says, indent=2)
    if found.ok:
        claims = f"{len(answer.statements)} statements, {len(answer.citations)} sources"
        line(
            ("It holds", "bold green"), f": {claims if answer.statements else 'it claims nothing'}."
        )
    else:
        line(
            ("It does not hold", "bold red"), f": {len(found.failed)} of {len(found.checks)} fail."
        )
