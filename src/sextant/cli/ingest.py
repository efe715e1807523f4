"""The command that takes knowledge in: what it asks for, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from sextant import build
from sextant.cli.ingesting.progress import shown_progress
from sextant.cli.ingesting.report import report_as_json, show
from sextant.cli.ingesting.rule_proposals import show_proposals
from sextant.cli.ingesting.vectors import is_unembedded
from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    err,
    flag,
    operator,
    print_json,
    run,
    settings,
)
from sextant.cli.shared.knowledge import TenantOption
from sextant.cli.shared.model_report import is_unread
from sextant.core import Sextant
from sextant.errors import Ignored, InvalidInput
from sextant.ingest.embedding.progress import Vectors
from sextant.ingest.flow import Options
from sextant.ingest.model_extraction.cache import cache_file
from sextant.ingest.report import Emit, Report
from sextant.ingest.shaping.suggested_rules import suggested_rules
from sextant.ingest.sources import place_of
from sextant.serve.collecting import collecting_seldom
from sextant.settings import MODEL_CHOICES, NO_MODEL, Settings
from sextant.types import Counts

app = typer.Typer()
_SOME_FAILED = 3
_IN_MEMORY = "memory:"
_STOPPED = "What was acknowledged is kept; the next run or a running server goes on."

Many = list[str] | None


@app.command()
def ingest(
    sources: Annotated[
        list[str],
        typer.Argument(help="Folders, files, archives (zip, tar) and http(s) addresses."),
    ],
    tag: Annotated[Many, typer.Option(help="Tag every document; may be repeated.")] = None,
    persona: Annotated[
        Many,
        typer.Option(
            help="Only this persona may see the documents; may be repeated. "
            "Without it the next time, only the rules hide them, even if they are unchanged."
        ),
    ] = None,
    source_type: Annotated[
        str, typer.Option(help="Say what kind of source it is, such as `runbook`.")
    ] = "",
    tenant: TenantOption = "default",
    name: Annotated[
        str,
        typer.Option(
            help="Name the source; by default it is called like its folder or file. "
            "The name of one that is in says that it moved here."
        ),
    ] = "",
    include: Annotated[Many, typer.Option(help="Take only these, as in a .gitignore.")] = None,
    exclude: Annotated[Many, typer.Option(help="Leave these out, as in a .gitignore.")] = None,
    depth: Annotated[int, typer.Option(min=0, max=10, help="Follow links of a site so far.")] = 0,
    base_url: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where the files are on the web, as in https://docs.example.org/: `a/b.md` links "
            "to `a/b/` there, or to where {path} or {stem} stands in the address. "
            "Without it the next time, only the rules say so.",
        ),
    ] = "",
    sync: Annotated[
        bool, flag("--sync", help="Remove documents whose source is gone or left out now.")
    ] = False,
    watch: Annotated[
        bool, flag("--watch", help="Follow a folder, as with --sync; Ctrl-C ends it.")
    ] = False,
    dry_run: Annotated[
        bool, flag("--dry-run", help="Read everything, write nothing, show what would be.")
    ] = False,
    suggest_rules: Annotated[
        bool,
        flag(
            "--suggest-rules",
            help="Propose rules for what counts less, such as changelogs; write nothing.",
        ),
    ] = False,
    extractor: Annotated[
        str | None,
        typer.Option(help="Who finds names beside the patterns: `llm:` for the model, `spacy:`."),
    ] = None,
    llm: Annotated[
        str | None, typer.Option(help="The model, as in `openai:MODEL`, for `--extractor llm:`.")
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(min=0.0, help="Spend at most so much on the model; set its prices."),
    ] = None,
    no_wait: Annotated[
        bool,
        flag("--no-wait", help="Leave the vectors to a running server, or to the next run."),
    ] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take in documents: read, split, find names and facts, store, embed.

    All is found by words and names before the first vector is made. What has no vector when it is
    stopped gets one in the next run, or from a running server; `sextant status` tells how much.
    Run it again at any time: what has not changed is left alone, and a run that was stopped goes
    on where it was. Names that a document brings are linked in documents that came before.
    Who may see a document follows the rules and options of its last ingest, also where its text is
    the same.

    Examples:

    - `sextant ingest docs/ runbooks.zip catalog-info.yaml`
    - `sextant ingest https://wiki.example/handbook/ --depth 2`
    - `sextant ingest docs/ --sync --tag handbook --persona sre`
    - `sextant ingest docs/ --base-url https://docs.example.org/`
    - `sextant ingest docs/ --suggest-rules`
    - `sextant ingest docs/ --extractor llm: --max-cost 2.50`

    With `--extractor llm:` the model reads what is in and finds more names and relations. What it
    found is kept, so no text is paid for twice; `--dry-run` tells what it would cost.

    Exits with 0 if all went well, 3 if some sources could not be read or the model has not read
    all or a document could not be embedded, 1 if nothing could be done or it would cost too much.
    """
    options = Options(
        tuple(tag or ()),
        tuple(persona or ()),
        source_type,
        name,
        tuple(include or ()),
        tuple(exclude or ()),
        depth,
        sync,
        dry_run,
        max_cost,
        base_url=base_url,
        words_only=no_wait,
    )
    if name and len(sources) > 1:
        raise typer.BadParameter("A name is for one source; name them one by one.")
    if suggest_rules:
        _suggest(settings(store), sources, options, as_json=as_json)
        return
    chosen = _chosen(store, extractor, llm)
    if dry_run:
        chosen = _unmade(chosen)
    elif chosen.store == _IN_MEMORY:
        _tell_that_it_goes()
    if watch:
        run(_follow(chosen, sources, tenant, options))
        return
    heard: list[Report] = []
    held: Counts | None = None
    try:
        with shown_progress(heard) as emit, collecting_seldom():
            work = _ingest(chosen, sources, tenant, options, emit)
            report, held = run(work, stopped=_STOPPED)
            heard.append(report)
    finally:
        report = heard[-1] if heard else Report()
        if heard and as_json:
            print_json(report_as_json(report, held))
        elif heard:
            show(report, held, dry_run=dry_run)
    if not (report.written or report.unchanged or report.removed) and _is_trouble(report):
        raise typer.Exit(1)
    if report.refused["failed"] or (not dry_run and is_unread(report)) or is_unembedded(report):
        raise typer.Exit(_SOME_FAILED)


def _suggest(chosen: Settings, sources: Sequence[str], options: Options, *, as_json: bool) -> None:
    """Read sources as if nothing of them were in, and propose rules for what they hold."""
    nowhere = replace(chosen, store=_IN_MEMORY)
    reading = replace(options, dry_run=True, lists_documents=True)
    with shown_progress([]) as emit:
        report, _ = run(_ingest(nowhere, sources, "default", reading, emit))
    show_proposals(suggested_rules(report.listed), len(report.listed), as_json=as_json)


def _chosen(store: str | None, extractor: str | None, llm: str | None) -> Settings:
    """Return the settings that hold here; a model is opened only if it is to read."""
    own = settings(store, llm)
    chosen = own.ingest.extractor if extractor is None else extractor
    if llm and chosen not in MODEL_CHOICES:
        err.print("The model is not asked to read: add --extractor llm:.", highlight=False)
    return replace(
        own,
        ingest=replace(own.ingest, extractor=chosen),
        llm=own.llm if chosen in MODEL_CHOICES else NO_MODEL,
    )


def _tell_that_it_goes() -> None:
    err.print(
        "The store memory: is gone when this command ends."
        " To keep what is taken in, use --store sqlite:FOLDER.",
        highlight=False,
    )


def _check_places(sources: Sequence[str]) -> None:
    """Refuse what is not there before a store is made for it."""
    for source in sources:
        place_of(source)


def _unmade(chosen: Settings) -> Settings:
    """Return settings for a dry run: into no store it is one into an empty one, which is nowhere.

    What a model found before still counts.
    """
    if not build.is_vacant(chosen):
        return chosen
    cache = cache_file(chosen)
    kept = replace(chosen.ingest, cache=str(cache.parent) if cache else "")
    return replace(chosen, store=_IN_MEMORY, ingest=kept)


async def _ingest(
    chosen: Settings, sources: Sequence[str], tenant: str, options: Options, emit: Emit
) -> tuple[Report, Counts | None]:
    """Take sources in, and count what the store holds then; a dry run changes nothing of that."""
    _check_places(sources)
    async with await build.open_sextant(chosen) as sextant:
        report = await sextant.ingest(operator(tenant), sources, options, emit)
        if options.dry_run:
            return report, None
        status = await sextant.store.admin.status(operator(tenant))
        if options.words_only:
            report.vectors = Vectors(status.counts.chunks, status.unembedded_chunks)
        return report, status.counts


async def _counts(sextant: Sextant, tenant: str) -> Counts:
    return (await sextant.store.admin.status(operator(tenant))).counts


async def _follow(chosen: Settings, sources: Sequence[str], tenant: str, options: Options) -> None:
    if len(sources) != 1:
        raise InvalidInput("One folder can be followed at a time.", "Run one command for each.")
    _check_places(sources)
    async with await build.open_sextant(chosen) as sextant:
        async for report in sextant.follow(operator(tenant), sources[0], options):
            is_read = report.by_model is not None and report.by_model.wanted > 0
            if report.written or report.removed or report.refused["failed"] or is_read:
                show(report, await _counts(sextant, tenant))
            err.print("[dim]Watching; Ctrl-C ends it.[/dim]", highlight=False)


def _is_trouble(report: Report) -> bool:
    """Whether something was refused that was not left out on purpose."""
    refusals = (*report.failed, *report.skipped)
    return any(not isinstance(refusal.error, Ignored) for refusal in refusals)
