"""Commands that say how two tools belong together, and take it back."""

from __future__ import annotations

from typing import Annotated

import typer

from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    flag,
    operator,
    out,
    print_json,
    run,
    settings,
    typed_exit,
)
from sextant.cli.shared.questions import moment_of
from sextant.cli.tools.catalogue import show_relation
from sextant.cli.tools.group import TenantOption, app, with_toolbox
from sextant.errors import InvalidInput
from sextant.text.codec.encode import plain_of
from sextant.types import ToolLink, ToolRelation

First = Annotated[str, typer.Argument(metavar="A", help="The tool that is spoken of.")]
Kind = Annotated[str, typer.Argument(metavar="KIND", help=f"One of {', '.join(ToolLink)}.")]
Second = Annotated[str, typer.Argument(metavar="B", help="The other tool.")]


@app.command("relate")
def relate_tools(
    source: First,
    kind: Kind,
    target: Second,
    confidence: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="How surely; without it, 1 counts.")
    ] = None,
    reason: Annotated[str, typer.Option(help="Why, for whoever reads it.")] = "",
    optional: Annotated[
        bool,
        flag("--optional/--required", help="Of DEPENDS_ON: whether A can do without B."),
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, help="Of PRECEDES: seconds between the calls.")
    ] = None,
    version: Annotated[str, typer.Option(help="Of REPLACES: the version of A.")] = "",
    deprecated: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Of REPLACES: since when B is not to be used."),
    ] = None,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how two tools belong together, in place of what was said of the same before.

    Examples:

    - `sextant tools relate github.mergePullRequest PRECEDES jira.transitionIssue --confidence 0.8`
    - `sextant tools relate slack.sendMessage ALTERNATIVE_TO teams.sendMessage --reason "same job"`
    - `sextant tools relate jira.addComment DEPENDS_ON jira.authenticate --required`
    """
    chosen, scope = settings(store), operator(tenant)
    with typed_exit():
        relation = ToolRelation(
            source,
            target,
            _kind(kind),
            confidence,
            required=not optional,
            reason=reason,
            seconds_between=seconds,
            version=version,
            deprecated_at=moment_of(deprecated),
        )
    run(with_toolbox(chosen, scope, lambda toolbox: toolbox.relate(scope, relation)))
    if as_json:
        print_json(plain_of(relation))
        return
    show_relation(relation)


@app.command("unrelate")
def unrelate_tools(
    source: First,
    kind: Kind,
    target: Second,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take back how two tools belong together; an import may bring an imported relation back.

    Example: `sextant tools unrelate slack.sendMessage ALTERNATIVE_TO teams.sendMessage`
    """
    chosen, scope = settings(store), operator(tenant)
    with typed_exit():
        link = _kind(kind)
    run(with_toolbox(chosen, scope, lambda toolbox: toolbox.unrelate(scope, source, link, target)))
    if as_json:
        print_json({"removed": [source, link.value, target]})
        return
    out.print("It is taken back.", highlight=False)


def _kind(name: str) -> ToolLink:
    try:
        return ToolLink(name.upper().replace("-", "_"))
    except ValueError:
        raise InvalidInput(
            f"There is no kind of relation {name[:40]!r}.", f"Use {', '.join(ToolLink)}."
        ) from None
