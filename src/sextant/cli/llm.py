"""Commands around language models: can the one that is chosen be used, and for what?"""

from __future__ import annotations

from dataclasses import asdict, replace

import typer
from rich.table import Table
from rich.text import Text

from sextant.build import open_llm
from sextant.cli.shared.console import JsonOption, err, out, print_json, run, settings, show_error
from sextant.cli.shared.questions import LlmOption
from sextant.prompting.prices import cost_of
from sextant.prompting.probe import Outcome, Probe, Trial, probe
from sextant.settings import ModelSettings, Settings
from sextant.text.markdown import printable
from sextant.types import Usage

app = typer.Typer(no_args_is_help=True, help="Try the language model that is chosen.")

_NONE_CHOSEN = 2
_STYLES = {
    Outcome.YES: "green",
    Outcome.PARTLY: "yellow",
    Outcome.NO: "red",
    Outcome.UNTRIED: "dim",
}


@app.callback()
def _root() -> None:
    pass


@app.command()
def check(llm: LlmOption = None, as_json: JsonOption = False) -> None:
    """Say whether the model answers, streams, calls tools and obeys JSON schemas, and how fast.

    Exits with 0 if it answers, with 1 if it does not, and with 2 if no model is chosen.

    Example: `sextant llm check --llm http://127.0.0.1:11434/v1#llama3`
    """
    chosen = settings(None, llm)
    found = run(_probed(chosen))
    if found is None:
        err.print("No model is chosen: everything works offline.", highlight=False)
        err.print("[dim]hint:[/dim] Set SEXTANT_LLM, or pass --llm openai:MODEL.", highlight=False)
        raise typer.Exit(_NONE_CHOSEN)
    if as_json:
        print_json(_probe_fields(found, chosen.model))
    else:
        _show(found, chosen.model)
    raise typer.Exit(0 if found.answers else 1)


async def _probed(chosen: Settings) -> Probe | None:
    # Each trial once: what fails is told as it is, and the model is not left alone for it.
    model = open_llm(replace(chosen, model=replace(chosen.model, retries=0)))
    if model is None:
        return None
    try:
        return await probe(model)
    finally:
        await model.close()


def _show(found: Probe, priced: ModelSettings) -> None:
    table = Table("can it", "", "ms", "tokens", "why", title=printable(found.model), box=None)
    for trial in found.trials:
        table.add_row(*_row(trial))
    out.print(table)
    cost = cost_of(_usage(found), priced)
    if cost is not None:
        out.print(f"It cost {cost:.6g}, by the prices that are set.", highlight=False)
    if found.error:
        show_error(found.error)


def _row(trial: Trial) -> tuple[str | Text, ...]:
    outcome = Text(trial.outcome, _STYLES[trial.outcome])
    if trial.outcome is Outcome.UNTRIED:
        return trial.name, outcome, "", "", ""
    tokens = f"{trial.usage.read} + {trial.usage.written}"
    return trial.name, outcome, f"{trial.milliseconds:.0f}", tokens, Text(printable(trial.why))


def _usage(found: Probe) -> Usage:
    return sum((trial.usage for trial in found.trials), Usage())


def _probe_fields(found: Probe, priced: ModelSettings) -> dict[str, object]:
    error = found.error
    return {
        "model": found.model,
        "answers": found.answers,
        "trials": [asdict(trial) for trial in found.trials],
        "cost": cost_of(_usage(found), priced),
        "error": {"code": error.code, "message": error.message, "hint": error.hint}
        if error
        else None,
    }
