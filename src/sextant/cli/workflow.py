"""Commands for the agentic workflow: show what holds, check a copy, make or import one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from sextant import build
from sextant.ask.workflow.nouns import RETRIEVER, SHIPPED, Agent, Workflow
from sextant.ask.workflow.place import shipped, shipped_text
from sextant.cli.shared.console import JsonOption, out, print_json, settings, show_error, typed_exit
from sextant.cli.shared.questions import write_new
from sextant.errors import ConfigError, Conflict, InvalidInput
from sextant.settings import NO_MODEL, Settings

app = typer.Typer(help="Show, check, copy and import workflows of agents.", no_args_is_help=True)


@app.command()
def show(as_json: JsonOption = False) -> None:
    """Show the steps in their order, who does each, the limits, and whose file each is.

    `SEXTANT_WORKFLOW` names a folder of your own.

    Example: `sextant workflow show --json`
    """
    from sextant.ask.workflow.load import load

    chosen = settings(None, None)
    with typed_exit():
        workflow = load(chosen.workflow)
    if as_json:
        print_json(_workflow_fields(workflow, chosen))
        return
    out.print(f"{escape(workflow.name)}, version {workflow.version}", highlight=False)
    table = Table("step", "by", "version", "tokens", "seconds", "from", box=None)
    for agent in workflow.agents.values():
        row = (agent.name, _by(agent, chosen), str(agent.version), str(agent.max_tokens or ""))
        table.add_row(*map(escape, row), f"{agent.seconds:g}", _whose(agent.file, workflow))
    out.print(table)
    if chosen.llm in (NO_MODEL, ""):
        out.print("No model is chosen, so these agents have nothing to do: set SEXTANT_LLM.")
    limits = ", ".join(f"{name} {value:g}" for name, value in asdict(workflow.limits).items())
    out.print(f"limits: {limits}; further rounds: {workflow.max_retries}", highlight=False)
    own = [file for file, origin in workflow.origins.items() if origin != SHIPPED]
    for file in sorted(own):
        out.print("yours:", escape(file), highlight=False, soft_wrap=True)


@app.command()
def check(
    folder: Annotated[
        Path | None, typer.Argument(help="A folder of your own; else the one that is set.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell every mistake in a workflow's files, with its line and what is allowed.

    Exits with 1 if there is one.

    Example: `sextant workflow check my-workflow`
    """
    mistakes = _mistakes(str(folder) if folder else settings(None, None).workflow)
    if as_json:
        told = [{"message": one.message, "hint": one.hint} for one in mistakes]
        print_json({"ok": not told, "mistakes": told})
    elif not mistakes:
        out.print("Nothing is wrong with it.")
    else:
        for mistake in mistakes:
            show_error(mistake)
    if mistakes:
        raise typer.Exit(1)


def _mistakes(folder: str) -> list[ConfigError]:
    """Return what is wrong with the files, and models in them that nobody knows."""
    from sextant.ask.workflow.load import examine

    examined = examine(folder)
    found = list(examined.mistakes)
    for agent in examined.workflow.agents.values() if examined.workflow else ():
        wrong = build.wrong_llm(agent.model)
        if wrong:
            found.append(ConfigError(f"{agent.file}: {wrong.message}", wrong.hint))
    return found


@app.command()
def copy(
    folder: Annotated[
        Path, typer.Argument(help="Where to: a new folder, or one without these files.")
    ],
) -> None:
    """Write the shipped files to a folder, to start from.

    Delete what you do not change: what is missing there comes from the package, also its later
    versions.

    Example: `sextant workflow copy my-workflow`
    """
    with typed_exit():
        for name in _free(folder, shipped()):
            _make(folder / name)
            write_new(folder / name, shipped_text(name))
    _show_written(folder, len(shipped()))


@app.command("import")
def import_file(
    file: Annotated[
        Path, typer.Argument(help="A declarative workflow in YAML; its agents are in `agents/`.")
    ],
    to: Annotated[
        Path | None, typer.Option("--out", help="A new folder; else named after the file.")
    ] = None,
    provider: Annotated[
        str, typer.Option(help="Whose models the agents name, such as `azure`; else yours is used.")
    ] = "",
    tool: Annotated[
        str, typer.Option(help="The retriever's tool, where its server has several.")
    ] = "",
) -> None:
    """Turn a declarative workflow of agents (`kind: workflow`) into one that runs here.

    Its agents' instructions, models, limits, number of retries and retriever are taken over. What
    is not understood, or goes another way than the steps here, is refused with its line.

    Example: `sextant workflow import workflows/rag.yaml --out my-workflow`
    """
    from sextant.ask.workflow.declarative.importing import import_workflow

    folder = to or Path(file.stem)
    with typed_exit():
        imported = import_workflow(file, provider, tool)
        for name in _free(folder, imported.files):
            _make(folder / name)
            write_new(folder / name, imported.files[name])
    for note in imported.notes:
        out.print(escape(note), highlight=False, soft_wrap=True)
    _show_written(folder, len(imported.files))


def _show_written(folder: Path, number: int) -> None:
    told = escape(str(folder))
    out.print(f"Wrote {number} files to {told}.", highlight=False, soft_wrap=True)
    out.print(f"Use them: SEXTANT_WORKFLOW={told}", highlight=False, soft_wrap=True)


def _by(agent: Agent, chosen: Settings) -> str:
    """Say who does a step: a retriever, the step's own model, or the one that is configured."""
    if agent.name == RETRIEVER:
        return agent.retriever
    return agent.model or chosen.llm


def _whose(file: str, workflow: Workflow) -> str:
    return SHIPPED if workflow.origins[file] == SHIPPED else "yours"


def _workflow_fields(workflow: Workflow, chosen: Settings) -> dict[str, Any]:
    steps = [
        {**asdict(agent), "schema": agent.schema.name, "by": _by(agent, chosen)}
        for agent in workflow.agents.values()
    ]
    return {
        "name": workflow.name,
        "version": workflow.version,
        "max_retries": workflow.max_retries,
        "limits": asdict(workflow.limits),
        "steps": steps,
        "files": dict(workflow.origins),
    }


def _free(folder: Path, files: Iterable[str]) -> tuple[str, ...]:
    """Name the files to write, unless one of them is there already: then nothing is written."""
    names = tuple(files)
    there = [name for name in names if (folder / name).exists() or (folder / name).is_symlink()]
    if there:
        raise Conflict(f"{folder} has {there[0]} already.", "Name a new folder.")
    return names


def _make(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"{path.parent} cannot be made: {error.strerror}.", "Name another folder."
        ) from None
