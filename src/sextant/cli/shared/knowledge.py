"""What commands that look at knowledge share: a store to ask, and how values are shown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

import typer
from rich.markup import escape

from sextant import build
from sextant.cli.shared.console import note, operator, out
from sextant.core import Sextant
from sextant.errors import NotFound, SextantError
from sextant.ports import Store
from sextant.retrieval.expand import is_sure
from sextant.settings import Settings
from sextant.types import Relation

T = TypeVar("T")
TenantOption = Annotated[str, typer.Option("--tenant", "-t", help="Whose knowledge it is.")]


async def with_knowledge(
    chosen: Settings, task: Callable[[Sextant], Awaitable[T]], tenant: str | None = None
) -> T:
    """Run a task on a store that is there already: whoever asks does not make one.

    A tenant whose knowledge is wanted and that is not there is told of.
    """
    need_store(chosen)
    async with await build.open_sextant(chosen) as sextant:
        if tenant is not None:
            await _note_unknown(sextant.store, tenant)
        return await task(sextant)


async def _note_unknown(store: Store, tenant: str) -> None:
    # What is wrong with the store is told by the task itself.
    with suppress(SextantError):
        if await store.truth.commit(operator(tenant)):
            return
        known = await store.admin.tenants()
        if tenant not in known:
            missing = f"There is no tenant {tenant!r}. Known: {', '.join(known) or 'none'}."
            note(f"{missing} `sextant ingest DOCS --tenant {tenant}` makes one.")


def need_store(chosen: Settings) -> None:
    """Refuse to look into a store that is not there."""
    if not build.is_there(chosen):
        raise NotFound(
            f"There is no store {chosen.store}.",
            "Take something in first, by `sextant ingest DOCS`, or name another: --store.",
        )


def show_relations(relations: Sequence[Relation], sentences: Sequence[str] = ()) -> None:
    """Print relations with how sure they are, where they are said, and in which sentence."""
    for one, sentence in zip(relations, sentences or [""] * len(relations), strict=True):
        said = f"{one.source} —{one.kind}→ {one.target}"
        worth = f"{one.confidence:.2f}{'' if is_sure(one) else ' unsure'} x {one.weight:g}"
        sure = f"({worth}; {', '.join(one.evidence) or 'no chunk'})"
        out.print(escape(said), f"[dim]{escape(sure)}[/dim]", highlight=False, soft_wrap=True)
        if sentence:
            out.print(f"    “{escape(sentence)}”", highlight=False, soft_wrap=True)


def json_fields(value: Any) -> dict[str, Any]:
    """Return a value of ours as JSON knows values."""
    fields = asdict(value)
    return {
        name: sorted(own) if isinstance(own, frozenset) else own for name, own in fields.items()
    }
