"""Commands for the keys of programs: make one, list them, revoke one."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    err,
    flag,
    out,
    print_json,
    run,
    settings,
    show_table,
)
from sextant.cli.shared.key_table import opens, table
from sextant.errors import InvalidInput, NotFound, SextantError
from sextant.limits import check_persona_count
from sextant.settings import Settings

if TYPE_CHECKING:
    from sextant.serve.caller import Role
    from sextant.serve.identity.keys import Keys
    from sextant.types.serving import Key

app = typer.Typer(
    no_args_is_help=True,
    help="""
Make, list and revoke keys for programs that call `sextant serve` with `serve.auth = "api-key"`.

A key belongs to one tenant, may be used for the personas and in the roles that it is given, and
is sent as `Authorization: Bearer KEY`. Only a digest of it is kept.
""",
)
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_LONGEST_DAYS = 36_500


@app.command()
def create(
    name: Annotated[
        str, typer.Option("--name", "-n", help="What the key is for.", show_default=False)
    ],
    tenant: Annotated[
        str | None,
        typer.Option("--tenant", "-t", help="Whose knowledge it opens; else `serve.tenant`."),
    ] = None,
    persona: Annotated[
        list[str] | None,
        typer.Option(
            "--persona",
            "-p",
            help="As whom it may ask, once for each: as all of them, where a request names none;"
            " `*` is anybody. Without one, only what is open to all is seen; a key with on-behalf"
            " may then use them all.",
        ),
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option(
            "--role",
            "-r",
            help="What it may do, once for each: search (without any), read, write, model, call,"
            " admin, on-behalf, which may name other tenants and users.",
        ),
    ] = None,
    expires: Annotated[
        str, typer.Option(help="When it ends: 12h, 90d, 8w or a date. Never, without one.")
    ] = "",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key and show it, once.

    Example: `sextant keys create --name ci --tenant acme --role search --expires 90d`
    """
    chosen = settings(store)

    async def make() -> tuple[Key, str]:
        async with _keys(chosen, make=True) as keys:
            if not name.strip():
                raise InvalidInput("The key has no name.", "Say what it is for: --name ci.")
            check_persona_count(len({*(persona or ())}), chosen.limits)
            return await keys.create(
                name,
                chosen.serve.tenant if tenant is None else tenant,
                [_role(one) for one in role or ["search"]],
                persona or [],
                _end(expires, datetime.now(UTC)).timestamp() if expires else 0.0,
            )

    key, text = run(make())
    if as_json:
        print_json({**_key_fields(key), "key": text})
        return
    out.print(text, highlight=False, soft_wrap=True)
    _tell("This is the only time that it is shown: keep it safe.")
    _tell(opens(key))
    if not run(_knows(chosen, key.tenant)):
        _tell(f"Nothing is stored for the tenant {key.tenant} yet.")
    _tell(f"To end it: sextant keys revoke {key.id}")


@app.command("list")
def list_keys(
    every: Annotated[bool, flag("--all", help="Show those too that have ended.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the keys that work: what each is for, what it opens, when it was used last.

    Example: `sextant keys list --all --json`
    """
    chosen, now = settings(store), datetime.now(UTC).timestamp()

    async def read() -> Sequence[Key]:
        async with _keys(chosen) as keys:
            return await keys.all()

    found = [one for one in run(read()) if every or one.state(now) == "active"]
    if as_json:
        print_json([_key_fields(one) for one in found])
        return
    nothing = "There are no keys that work; `sextant keys create` makes one."
    show_table(table(found, every=every), nothing)


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(help="Its id as `sextant keys list` shows it.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """End a key: a running server refuses it from the next request on.

    Example: `sextant keys revoke 4f1c0a9be27d`
    """
    chosen = settings(store)

    async def end() -> Key:
        async with _keys(chosen) as keys:
            return await keys.revoke(key_id)

    key = run(end())
    if as_json:
        print_json(_key_fields(key))
        return
    out.print(f"Revoked {key.id}.", highlight=False)


@asynccontextmanager
async def _keys(chosen: Settings, *, make: bool = False) -> AsyncIterator[Keys]:
    """Open the keys of the server that the settings mean."""
    from sextant import build
    from sextant.serve.identity import check_place_of_keys
    from sextant.serve.identity.keys import Keys
    from sextant.serve.records.folder import lasting_folder
    from sextant.serve.records.opening import server_records

    check_place_of_keys(chosen)
    folder = lasting_folder(chosen)
    if folder and not make and not build.has_keys(chosen, folder):
        raise NotFound("There are no keys here yet.", "`sextant keys create` makes one.")
    async with server_records(chosen) as records:
        yield Keys(await records.open_keys())


def _role(name: str) -> Role:
    from sextant.serve.caller import Role

    for role in Role:
        if name in (role.value, role.short):
            return role
    known = ", ".join(role.short for role in Role)
    raise InvalidInput(f"There is no role {name!r}.", f"Use {known}.")


def _end(text: str, now: datetime) -> datetime:
    """Return when a key ends: so long from now, or at the start of a day in UTC."""
    span = re.fullmatch(r"(\d{1,6})([hdw])", text)
    try:
        if span:
            end = now + timedelta(**{_UNITS[span[2]]: int(span[1])})
        else:
            end = datetime.fromisoformat(text)
            end = end if end.tzinfo else end.replace(tzinfo=UTC)
        is_fine = now < end <= now + timedelta(days=_LONGEST_DAYS)
    except (ValueError, OverflowError):
        is_fine, end = False, now
    if not is_fine:
        raise InvalidInput(
            f"A key cannot end at {text!r}.", "Write 12h, 90d, 8w or a date to come: 2030-01-31."
        )
    return end


def _key_fields(key: Key) -> dict[str, Any]:
    times = {"created": key.created, "expires": key.expires, "revoked": key.revoked}
    return {
        "id": key.id,
        "name": key.name,
        "tenant": key.tenant,
        "personas": list(key.personas),
        "roles": list(key.roles),
        **{what: _time(at) for what, at in times.items()},
        "used": _time(key.used),
        "state": key.state(datetime.now(UTC).timestamp()),
    }


def _time(at: float) -> str | None:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") if at else None


async def _knows(chosen: Settings, tenant: str) -> bool:
    """Whether something is stored for a tenant; where nobody can tell now, nothing is missing."""
    from sextant import build

    if not build.is_there(chosen):
        return False
    try:
        store = await build.open_store(chosen, adopt=True)
    except SextantError:
        return True
    try:
        return tenant in await store.admin.tenants()
    finally:
        await store.admin.close()


def _tell(line: str) -> None:
    err.print(escape(line), highlight=False, soft_wrap=True)
